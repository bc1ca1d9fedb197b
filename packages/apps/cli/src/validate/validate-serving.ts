import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { builtInCatalog } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import {
  type ServingData,
  type ServingSet,
  type ServingValidation,
  type Summary,
  validateServing,
} from '@ironlaw/planner/serving-validation'
import { showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'
import type { ValidateFlags } from './validate.ts'

export function validateServingAnswer(flags: ValidateFlags): CommandAnswer {
  const validation = validateServing(builtInCatalog, dataFrom(flags.data ?? process.env['IRONLAW_DATA']))
  return { json: flags.rows ? validation : withoutRows(validation), text: () => text(validation) }
}

function dataFrom(folder: string | undefined): ServingData {
  if (folder === undefined || folder === '') return {}
  const read = (file: string): string => {
    const path = join(folder, file)
    if (!existsSync(path)) throw new IronlawError('IL_FILE', { path, reason: 'there is no such file' })
    return gunzipSync(readFileSync(path)).toString('utf8')
  }
  return { inferencex: read('inferencex-silicon-points.csv.gz'), splitwise: read('splitwise-perf-model.csv.gz') }
}

const entriesOf = ({ sets }: ServingValidation) => Object.entries(sets)

/** Thousands of rows would hide the answer. */
function withoutRows(validation: ServingValidation): unknown {
  const sets = entriesOf(validation).map(([name, set]) => {
    if ('absent' in set) return [name, set]
    const { rows: _, ...rest } = set
    return [name, rest]
  })
  return { ...validation, sets: Object.fromEntries(sets) }
}

function text(validation: ServingValidation): string {
  const parts = entriesOf(validation).flatMap(([name, set]) => ('absent' in set ? [`${name}: ${set.absent}`] : [setText(name, set)]))
  const { kernels } = validation
  return [...parts, `kernels: median of ${kernels.curves.length} curves' held-out median errors ${showPercent(kernels.median)}`].join(
    '\n\n',
  )
}

function setText(name: string, set: ServingSet): string {
  const rows = (['calibration', 'heldOut'] as const).flatMap((split) =>
    Object.entries(set[split]).map(([metric, summary]) => [split === 'heldOut' ? 'held out' : split, metric, ...cells(summary)]),
  )
  return [
    `${name}: ${set.n} rows, ${showPercent(set.refusedShare)} refused`,
    ...set.refused.map(({ reason, n }) => `  ${n}: ${reason}`),
    table(['rows', 'figure', 'n', 'median', 'p90', 'bias', 'in 90 % interval'], rows, [2, 3, 4, 5, 6]),
    table(
      ['largest errors held out', 'figure', 'measured', 'predicted', 'error', 'run'],
      set.worst.map(({ id, metric, measured, predicted, error, engine, accelerator, layout, precision, load, family }) => [
        id.length > 48 ? `${id.slice(0, 45)}...` : id,
        metric,
        measured.toPrecision(3),
        predicted.toPrecision(3),
        showPercent(error),
        [family, engine, accelerator, layout, precision, load].join(', '),
      ]),
      [2, 3, 4],
    ),
  ].join('\n')
}

const cells = ({ n, median, p90, bias, coverage }: Summary): string[] => [
  String(n),
  showPercent(median),
  showPercent(p90),
  showPercent(bias),
  showPercent(coverage),
]
