import { accelerator } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { type Precision, PRECISIONS } from '@ironlaw/catalog'
import { type Known, quantity, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { derivationText } from '../plan/derivation.ts'
import { modelFrom } from '../model/model-source.ts'
import { paint } from '../paint.ts'
import { rooflineOf, type Roofline } from './roofline.ts'
import { mark, rooflinePlot } from './roofline-plot.ts'
import { table } from '../table.ts'
import { sequenceFlag, wholeNumber } from '../whole-number.ts'

export type RooflineFlags = {
  readonly model: string
  readonly on: string
  readonly batch: string
  readonly context: string
  readonly precision: string
  readonly with?: string
}

export function rooflineAnswer(flags: RooflineFlags): CommandAnswer {
  const { name, architecture, warnings } = modelFrom(flags.model)
  const on = accelerator(catalogFor(flags.with), flags.on)
  const setting = {
    precision: precisionFrom(flags.precision),
    context: sequenceFlag('--context', flags.context),
    batches: flags.batch.split(',').map((text) => wholeNumber('--batch', text)),
  }
  const roofline = rooflineOf(architecture, on, setting)
  const { points, ridge, peak, bandwidth } = roofline
  return {
    json: {
      model: name,
      accelerator: on.id,
      precision: setting.precision,
      context: setting.context,
      warnings,
      peak: showFigure(peak),
      bandwidth: showFigure(bandwidth),
      ridge: showFigure(ridge),
      points: points.map(({ batch, flops, bytesMoved, intensity, rate, bound, stepTime, slowest }) => ({
        batch,
        flops: flops.value,
        bytes: bytesMoved.value,
        intensity: intensity.value,
        attainable_flop_per_s: rate.value,
        bound,
        least_step_time_s: stepTime,
        most_tokens_per_s: batch / stepTime,
        slowest: slowest.map(({ name: operator, time, bound: limit }) => ({ operator, time_s: time, bound: limit })),
      })),
    },
    text: () =>
      text({ title: `${name} on ${on.name}, ${setting.precision}, one decoding step at context ${setting.context}`, roofline, warnings }),
  }
}

const showFigure = ({ value, unit }: Known): { value: number; unit: string } => ({ value, unit })

function precisionFrom(text: string): Precision {
  const precision = PRECISIONS.find((known) => known === text.toLowerCase())
  if (precision) return precision
  throw new IronlawError('IL_USAGE', {
    problem: `--precision: "${text}" is not one of ${PRECISIONS.join(', ')}`,
    command: 'explain roofline',
  })
}

function text({ title, roofline, warnings }: { title: string; roofline: Roofline; warnings: readonly string[] }): string {
  const { points } = roofline
  const rows = points.map((point, index) => [
    paint('bold', mark(index)),
    String(point.batch),
    show(point.flops.value, 'FLOP'),
    show(point.bytesMoved.value, 'B'),
    show(point.intensity.value, 'FLOP/B'),
    point.bound === 'memory' ? paint('yellow', 'memory') : paint('green', 'compute'),
    show(quantity(point.stepTime, 's'), 's'),
    show(quantity(point.batch / point.stepTime, 'token/s'), 'token/s'),
    point.slowest[0]?.name ?? '',
  ])
  const first = points[0]
  return [
    paint('bold', title),
    ...warnings.map((warning) => paint('yellow', `assumed: ${warning}`)),
    '',
    rooflinePlot(roofline),
    '',
    table(
      ['', 'batch', 'work', 'traffic', 'intensity', 'bound by', 'step at least', 'tokens at most', 'slowest operator'],
      rows,
      [1, 2, 3, 4, 6, 7],
    ),
    '',
    derivationText('ridge', roofline.ridge),
    ...(first ? ['', derivationText(`rate of ${mark(0)}`, first.rate)] : []),
  ].join('\n')
}
