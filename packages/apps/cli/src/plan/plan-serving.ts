// `ironlaw plan` for a spec of kind Serve: the deployments that meet the objectives, best first, and why the others do not.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'
import { deployRefusal, IronlawError } from '@ironlaw/contracts'
import { SERVING_FIELDS, exportServing, SERVING_TARGETS, type ServingTarget } from '@ironlaw/exporters'
import {
  carriedText,
  type FrontPoint,
  infeasibleText,
  type PlannedServing,
  planServing,
  poolText,
  type QualityPoint,
  qualityFrontFor,
  qualityText,
  type QualityVerdict,
  type RejectedLayout,
  servingFrontFor,
} from '@ironlaw/planner'
import { bytes, dollars, joules, seconds, show, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { capacityTable } from './capacity-text.ts'
import { derivationText } from './derivation.ts'
import { paint } from '../paint.ts'
import { type ServingRequest, readServing } from './serve-source.ts'
import { mechanismLines } from './serving-mechanisms.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'
import { dropCell, qualityDerivations, qualityFrontText, qualityLines } from './serving-quality.ts'
import { dayText, plannedDay, type PlannedDay } from './plan-serving-day.ts'

export type PlanServingFlags = {
  readonly top: string
  readonly explain?: true
  readonly pareto?: true
  readonly export?: string
  readonly with?: string
}

export function planServingAnswer(file: string, flags: PlanServingFlags): CommandAnswer {
  const catalog = catalogFor(flags.with)
  const serving = readServing(catalog, file)
  if (flags.pareto)
    return fronts(serving, { throughput: servingFrontFor(catalog, serving.wanted), quality: qualityFrontFor(catalog, serving.wanted) })
  const planned = planServing(catalog, serving.wanted, wholeNumber('--top', flags.top))
  const top = planned.plans
  const violated = planned.plans.length > 0 ? [] : [infeasibleText(serving.wanted.objectives, planned)]
  if (flags.export !== undefined) return exportAnswer(planned.plans[0], flags.export, violated)
  const day = top[0] && plannedDay(catalog, serving, top[0])
  return {
    json: {
      plans: top,
      tried: planned.tried,
      rejected: planned.rejected,
      ...(planned.quality.length > 0 && { quality: planned.quality.map(verdictJson) }),
      impossible: planned.impossible,
      ...(planned.closest && { closest: planned.closest }),
      warnings: serving.warnings,
      violated,
      ...(day && { day }),
    },
    text: () => text(serving, planned, { top, explained: flags.explain === true, violated, day }),
    ...(violated.length > 0 && { exit: 3 }),
  }
}

const verdictJson = ({ precision, verdict, measured, itemsNeeded, refused }: QualityVerdict): object => ({
  precision,
  verdict,
  ...(measured && { drop: { value: measured.drop.value.value, low: measured.drop.low.value, high: measured.drop.high.value } }),
  ...(measured && { items: measured.items.value }),
  ...(itemsNeeded && { items_needed: Math.ceil(itemsNeeded.value) }),
  ...(refused !== undefined && { refused }),
})

type Fronts = { readonly throughput: readonly FrontPoint[]; readonly quality: readonly QualityPoint[] }

/** Throughput against interactivity, which is what one user sees and what a device yields; where quality is asked for, quality against cost. */
const fronts = ({ wanted }: ServingRequest, { throughput, quality }: Fronts): CommandAnswer => ({
  json: {
    front: throughput,
    ...(quality.length > 0 && {
      quality_front: quality.map(({ verdict, plan, beatenBy }) => ({
        ...verdictJson(verdict),
        ...(plan && { plan }),
        ...(beatenBy !== undefined && { beaten_by: beatenBy }),
      })),
    }),
  },
  text: () =>
    [
      `${paint('bold', wanted.model)}: tokens a device against tokens a user, ${wanted.traffic.input_tokens} + ${wanted.traffic.output_tokens} tokens`,
      '',
      table(
        ['tokens/s a user', 'tokens/s a device', 'first token', 'at once', 'accelerator', 'precision', 'shape'],
        throughput.map((point) => [
          point.interactivity_tokens_per_s.toFixed(0),
          point.output_tokens_per_s_per_device.toFixed(0),
          show(seconds(point.ttft_s), 's'),
          String(point.concurrency),
          point.accelerator,
          point.precision,
          point.layout,
        ]),
        [0, 1, 2, 3],
      ),
      ...(wanted.quality && quality.length > 0 ? ['', ...qualityFrontText(wanted.quality, quality)] : []),
    ].join('\n'),
})

function exportAnswer(plan: ServingPlan | undefined, target: string, violated: readonly string[]): CommandAnswer {
  const names = Object.keys(SERVING_TARGETS)
  if (!isTarget(target))
    throw new IronlawError('IL_USAGE', { problem: `unknown target "${target}"; known targets: ${names.join(', ')}`, command: 'plan' })
  if (!plan) return { json: { violated }, text: () => violated.join('\n'), exit: 3 }
  const made = exportServing(plan, target)
  if (made.impossible.length > 0)
    throw new IronlawError('IL_IMPOSSIBLE', {
      framework: target,
      problems: made.impossible.join('; '),
      choice: 'target',
      ...SERVING_FIELDS,
    })
  return { json: { plan: plan.id, ...made }, text: () => made.text.trimEnd(), notes: made.warnings }
}

const isTarget = (name: string): name is ServingTarget => name in SERVING_TARGETS

type PlanTextParts = {
  readonly top: readonly ServingPlan[]
  readonly explained: boolean
  readonly violated: readonly string[]
  readonly day: PlannedDay | undefined
}

function text(serving: ServingRequest, planned: PlannedServing, { top, explained, violated, day }: PlanTextParts): string {
  const { wanted, warnings } = serving
  const { traffic, objectives } = wanted
  const head = `${paint('bold', wanted.model)}: ${traffic.requests_per_s} requests/s of ${traffic.input_tokens} + ${traffic.output_tokens} tokens, SLO: ${objectives.percentile} TTFT ${show(seconds(objectives.ttft_s), 's')}, ${objectives.percentile} TPOT ${show(seconds(objectives.tpot_s), 's')}, held with ${showPercent(objectives.probability ?? 0, 0)} probability`
  const best = top[0]
  return [
    head,
    ...warnings.map((warning) => paint('yellow', warning)),
    ...violated.map((each) => paint('yellow', each)),
    ...(top.length > 0 ? refusedPrecisions(planned) : []),
    ...(top.length > 0 ? ['', planTable(top), ...unmeasuredNotes(top)] : []),
    ...(best ? ['', bestText(best), ...deployNote(best)] : []),
    ...(best && explained ? ['', stepTable(best), ...best.pools.flatMap(poolCapacities)] : []),
    ...(explained && planned.quality.length > 0 ? ['', ...qualityDerivations(planned.quality)] : []),
    ...(day ? ['', dayText(day)] : []),
    ...(planned.impossible ? ['', ...planned.impossible.objectives.map((name) => floorText(planned, name))] : []),
    ...(top.length === 0 || explained ? ['', rejectedTable(planned.rejected)] : []),
  ].join('\n')
}

/** Where none is left, it is why there is no plan. */
const refusedPrecisions = ({ quality }: PlannedServing): readonly string[] =>
  quality.flatMap((each) => (each.refused === undefined ? [] : [paint('yellow', `not planned: ${qualityText(each)}`)]))

const floorText = ({ impossible }: PlannedServing, name: 'ttft' | 'tpot'): string =>
  impossible ? derivationText(name, impossible.floors[name]) : ''

const planTable = (plans: readonly ServingPlan[]): string => {
  const isMeasured = plans.some(({ quality }) => quality !== undefined)
  return table(
    [
      'accelerator',
      'devices',
      'replicas',
      'precision',
      'first token',
      'per token',
      'probability',
      'tokens/s/device',
      'per hour',
      'per M output tokens',
      'held by',
      ...(isMeasured ? ['drop in points'] : []),
    ],
    plans.map(({ prediction: p, ...plan }) => [
      `${plan.accelerator}${p.unmeasured ? ' *' : ''}`,
      String(plan.devices),
      plan.pools.map(poolText).join(' + '),
      plan.precision,
      show(seconds(p.ttft_s), 's'),
      p.tpot_s === 0 ? '' : show(seconds(p.tpot_s), 's'),
      showPercent(p.probability ?? 0, 0),
      p.output_tokens_per_s_per_device.toFixed(0),
      p.usd_per_hour === undefined ? '' : show(dollars(p.usd_per_hour), 'USD'),
      p.usd_per_million_tokens === undefined ? '' : show(dollars(p.usd_per_million_tokens), 'USD'),
      p.binding,
      ...(isMeasured ? [dropCell(plan)] : []),
    ]),
    [1, 4, 5, 6, 7, 8, 9],
  )
}

/** A reader of the table must know which figures rest on measurements of another accelerator. */
function unmeasuredNotes(plans: readonly ServingPlan[]): readonly string[] {
  const names = new Set(plans.flatMap(({ accelerator, prediction }) => (prediction.unmeasured ? [accelerator] : [])))
  return [...names].map((name) =>
    paint('yellow', `* no kernel measurements of ${name}: the curve of another accelerator, scaled by its peaks, with a wider interval`),
  )
}

const poolCapacities = ({ role, capacities = [] }: ServingPool): readonly string[] => [
  '',
  capacityTable(`how full a replica${role === 'all' ? '' : ` for ${role}`} is at its limit`, capacities),
]

function bestText(plan: ServingPlan): string {
  const { prediction: p, cache, objectives } = plan
  const { percentile } = objectives
  const time = (value: number | undefined): string => show(seconds(value ?? 0), 's')
  // Answers of one token have none.
  const tpot = (text: string): string => (p.tpot_s === 0 ? '' : text)
  return [
    `${carriedText(plan)}. At the asked load, without spares, ${showPercent(p.attained ?? 0, 1)} of simulated requests are within both objectives.`,
    `90 % intervals: TTFT ${time(p.ttft_low_s)} to ${time(p.ttft_high_s)}${tpot(`, TPOT ${time(p.tpot_low_s)} to ${time(p.tpot_high_s)}`)}. TTFT includes ${time(p.client_s)} outside the engine.`,
    `They hold the objectives up to ${p.capacity_requests_per_s.toPrecision(3)} requests/s, with ${percentile} TTFT ${time(p.ttft_at_capacity_s)}${tpot(` and TPOT ${time(p.tpot_at_capacity_s)}`)}: ${p.replica_requests_per_s.toPrecision(3)} a replica with ${p.decoding.toFixed(0)} decoding at once, limited by ${p.binding}.`,
    `Weights ${show(bytes(p.weights_bytes), 'B')} a device, cache ${Math.floor(p.cache_tokens).toLocaleString('en')} tokens a replica (${cache}).`,
    `Utilization at that limit: ${showPercent(p.memoryBandwidthUtilization, 0)} of the memory bandwidth, ${showPercent(p.flopsUtilization, 0)} of the compute. Energy: ${show(joules(p.joules_per_token), 'J')} per output token.`,
    ...mechanismLines(plan),
    ...qualityLines(plan),
  ].join('\n')
}

function deployNote(plan: ServingPlan): readonly string[] {
  const refusal = deployRefusal(plan)
  return refusal === undefined
    ? []
    : [
        paint(
          'yellow',
          `"ironlaw apply" does not run this plan: ${refusal.reason}. ${refusal.change[0]?.toUpperCase()}${refusal.change.slice(1)}; --export writes it as it is.`,
        ),
      ]
}

const stepTable = ({ prediction: { step_s } }: ServingPlan): string => {
  const total = Object.values(step_s).reduce((sum, each) => sum + each, 0)
  return table(
    ['of a decode step', 'time', 'share'],
    Object.entries(step_s).map(([cause, time]) => [cause, show(seconds(time), 's'), `${((100 * time) / total).toFixed(0)} %`]),
    [1, 2],
  )
}

const MOST_REASONS = 12

const rejectedTable = (rejected: readonly RejectedLayout[]): string =>
  table(
    ['not taken', 'precision', 'shape', 'because'],
    rejected.slice(0, MOST_REASONS).map(({ accelerator, precision, layout, reason }) => [accelerator, precision, layout, reason]),
  )
