// `ironlaw evaluate plan`, and `ironlaw plan` of an evaluation spec: how long it takes, and what it can decide.

import { IronlawError, quantityOf } from '@ironlaw/contracts'
import type { EvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { parseItems } from '@ironlaw/contracts/evaluation-items'
import { type EngineProbe, needsAllItems, probeEngine, readEvaluation } from '@ironlaw/evaluations'
import { type EvaluationForecast, forecastEvaluation, probedPlaces } from '@ironlaw/planner'
import { counted, dollars, seconds, show, showPoints } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { readText } from '../input-file.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'
import { type EngineFlags, withEvaluation } from './evaluation-source.ts'

export type EvaluatePlanFlags = EngineFlags & {
  /** False with --no-probe. */
  readonly probe: boolean
  readonly measure: string
  readonly measured?: string
  readonly price?: string
}

type Differing = { readonly share: number; readonly from: 'assumed' | 'stated' | 'measured' }

type Planned = {
  readonly spec: EvaluateSpec
  readonly items: number
  readonly differing: Differing
  readonly forecast: EvaluationForecast
  readonly probe?: EngineProbe
  readonly hour_usd?: number
}

/** Of the items of two models that were trained alike; a measured share is better. */
const ASSUMED_DIFFERING = 0.1

export async function planEvaluationAnswer(file: string, flags: EvaluatePlanFlags): Promise<CommandAnswer> {
  return await withEvaluation(file, flags, async (request) => {
    const { spec } = request
    const probe =
      flags.probe && request.address
        ? await probeEngine({ ...request, items_measured: wholeNumber('--measure', flags.measure), places: probedPlaces })
        : undefined
    const sizes = probe?.sizes ?? parseItems(spec.task, readText(request.items), request.items).map(() => 1)
    const differing = await differingOf(spec, flags.measured)
    const { false_block, miss } = spec.risk
    const rule = { margin: spec.margin, risk: { falseBlock: false_block, miss }, looks: spec.looks }
    const forecast = forecastEvaluation({ sizes, repeats: spec.repeats, rule, differing: differing.share, ...(probe && { probe }) })
    const planned = {
      spec,
      items: sizes.length,
      differing,
      forecast,
      ...(probe && { probe }),
      ...(flags.price !== undefined && { hour_usd: 3600 * quantityOf(flags.price, 'USD/s') }),
    }
    const violation = shortage(planned)
    return { json: jsonOf(planned), text: () => planText(planned), ...(violation && { exit: 3, violation }) }
  })
}

async function differingOf(spec: EvaluateSpec, measured: string | undefined): Promise<Differing> {
  if (measured === undefined)
    return spec.differing === undefined ? { share: ASSUMED_DIFFERING, from: 'assumed' } : { share: spec.differing, from: 'stated' }
  const { items, repeats } = (await readEvaluation(measured)).evaluation
  if (repeats.differing === undefined)
    throw new IronlawError(
      'IL_USAGE',
      { problem: `--measured ${measured}: its items were asked once, so nothing is known of what differs`, command: 'evaluate plan' },
      { next: 'evaluate with "repeats: 3" in the spec' },
    )
  // That none differed does not mean that none will.
  return { share: Math.max(repeats.differing, 1 / items.count), from: 'measured' }
}

function shortage({ spec, items, forecast: { items_needed, items_short } }: Planned): CommandAnswer['violation'] {
  if (items_short === 0) return undefined
  return {
    problem: `${counted(items, 'item')} cannot show a drop of ${points(spec.margin)} points with these risks: ${items_needed.toLocaleString('en')} are needed, ${items_short.toLocaleString('en')} more`,
    next: 'add items, or state a larger margin, larger risks or fewer looks',
  }
}

const points = (share: number): string => showPoints(share, 1)
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const costOf = ({ forecast: { time_s }, hour_usd }: Planned) =>
  time_s === undefined || hour_usd === undefined
    ? undefined
    : { value: (time_s.value * hour_usd) / 3600, low: (time_s.low * hour_usd) / 3600, high: (time_s.high * hour_usd) / 3600 }

function jsonOf(planned: Planned): object {
  const { spec, items, differing, forecast, probe } = planned
  const { time_s, tokens_in, tokens_out, visible_drop, items_needed, items_short, equal, worse, looks_factor, asked } = forecast
  const cost_usd = costOf(planned)
  return {
    name: spec.name,
    items,
    ...(time_s && { time_s, tokens_in, tokens_out }),
    ...(cost_usd && { cost_usd }),
    ...(probe && { probe: { items: probe.items.length, time_s: probe.took_s, model: probe.model.id, instrument: probe.instrument } }),
    differing,
    rule: { margin: spec.margin, risk: spec.risk, looks: spec.looks },
    visible_drop,
    items_needed,
    items_short,
    looks_factor,
    verdicts: { equal, worse },
    asked,
  }
}

function planText(planned: Planned): string {
  const { spec, items, differing, forecast, probe } = planned
  const { time_s, tokens_in = 0, tokens_out = 0, visible_drop, items_needed, items_short, equal, worse, looks_factor, asked } = forecast
  const time = (value: number): string => show(seconds(value), 's')
  const money = (value: number): string => show(dollars(value), 'USD')
  const cost = costOf(planned)
  const row = (name: string, { 'as-good': good, worse: bad, undecided }: typeof equal): readonly string[] => [
    name,
    percent(good),
    percent(bad),
    percent(undecided),
  ]
  return [
    `${paint('bold', spec.name)}: ${counted(items, 'item')} of task ${spec.task}${probe ? `, ${probe.model.id} by ${probe.instrument.engine}` : ''}`,
    '',
    time_s && probe
      ? `time      ${time(time_s.value)} ${paint('dim', `(${time(time_s.low)} to ${time(time_s.high)})`)}, ${tokens_in.toLocaleString('en')} tokens read and ${tokens_out.toLocaleString('en')} generated; ${counted(probe.items.length, 'item')} measured in ${time(probe.took_s)}`
      : 'time      not known: nothing was asked of the engine',
    ...(cost ? [`price     ${money(cost.value)} ${paint('dim', `(${money(cost.low)} to ${money(cost.high)})`)}`] : []),
    `can see   a drop of ${points(visible_drop)} points; ${percent(differing.share)} of the items differ between two models, ${differing.from}`,
    `asked     ${points(spec.margin)} points: ${items_needed.toLocaleString('en')} items needed${items_short > 0 ? `, ${items_short.toLocaleString('en')} short` : ''}`,
    ...(needsAllItems(spec) === undefined
      ? [
          `stops     with --against after ${percent(asked.equal)} of the items in the mean if equal, ${percent(asked.worse)} if worse by the margin`,
        ]
      : []),
    ...(spec.looks > 1 ? [`looks     ${spec.looks} candidates: a drop must be ${looks_factor.toFixed(1)} times as large as for one`] : []),
    '',
    table(
      ['chance that a model is called', 'as good', 'worse', 'undecided'],
      [row('that is equal', equal), row(`that is worse by ${points(spec.margin)} points`, worse)],
      [1, 2, 3],
    ),
  ].join('\n')
}
