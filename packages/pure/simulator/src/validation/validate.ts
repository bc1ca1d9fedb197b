// Published campaigns, predicted: for every figure that the simulator can speak to, what it says, what was published, and what was
// assumed. `prediction`: no input comes from the campaign that is scored, except its size and length. `consistency`: its own failure
// rate goes in, so agreement says that the arithmetic is right and no more.

import { RandomStream } from '../kernel/random-stream.ts'
import { spreadOf, type TrialOptions } from '../training/simulate.ts'
import type { Trial } from '../training/trial.ts'
import { type Case, CASES, type ScoredFigure } from './cases.ts'
import type { Check } from './check.ts'
import { campaignTrials, inputsOf, quantityOfTrial, worstStretch } from './published-campaign.ts'
import { PUBLISHED, type PublishedFigure } from './published.ts'
import { beliefWithout, ownBelief, type RateBelief } from '../reliability/rates.ts'
import { scaledChecks } from './scaled-checks.ts'

export { type TableCell, checkpointTable, FIRST_ORDER_HOLDS } from './checkpoint-table.ts'
export type { Check } from './check.ts'

export type ReliabilityValidation = {
  readonly replicas: number
  readonly checks: readonly Check[]
  readonly notScored: readonly { readonly ids: readonly string[]; readonly why: string }[]
}

export function validateReliability(sample: TrialOptions): ReliabilityValidation {
  const checks = [...CASES.flatMap((each) => checksOf(each, sample)), ...scaledChecks()]
  const scored = new Set(checks.map(({ id }) => id))
  return { replicas: sample.replicas, checks, notScored: unscoredFigures(scored) }
}

function checksOf(each: Case, sample: TrialOptions): Check[] {
  const beliefs: readonly (readonly [Check['test'], RateBelief])[] = [
    ['prediction', beliefWithout(each.source)],
    ...(each.own === undefined ? [] : [['consistency', ownBelief(each.own)] as const]),
  ]
  return beliefs.flatMap(([test, belief]) => {
    const trials = campaignTrials(each.known, belief, sample)
    return each.figures.map((scored): Check => {
      const { id, note, published: computed } = scored
      const row = PUBLISHED.get(id)
      const published = computed ? { ...computed, metric: computed.figure, source: row?.source } : row
      const { p5, p50, p95 } = spreadOf(trials.map((trial, replica) => figureOf(trial, { ...scored, run_days: each.known.days, replica })))
      const scale = published?.unit === '%' ? 100 : 1
      const value = published?.value ?? Number.NaN
      const [low, high] = [p5 * scale, p95 * scale]
      return {
        id,
        campaign: each.name,
        figure: published?.metric ?? id,
        unit: published?.unit ?? '',
        test,
        published: value,
        ...(published?.bound !== undefined && { bound: published.bound }),
        predicted: p50 * scale,
        low,
        high,
        inside: isWithin(value, { low, high, bound: published?.bound }),
        inputs: inputsOf(each.known, belief),
        ...(note !== undefined && { note }),
        source: published?.source ?? '',
      }
    })
  })
}

type FigureOfTrial = Pick<ScoredFigure, 'of' | 'days' | 'worst_days'> & { readonly run_days: number; readonly replica: number }

function figureOf(trial: Trial, { of, days, worst_days, run_days, replica }: FigureOfTrial): number {
  const value = quantityOfTrial(trial, of)
  if (worst_days !== undefined) return worstStretch(value, worst_days / run_days, new RandomStream([1, replica]))
  return days === undefined ? value : (value * days) / run_days
}

type Interval = { readonly low: number; readonly high: number; readonly bound: PublishedFigure['bound'] }

function isWithin(value: number, { low, high, bound }: Interval): boolean {
  if (bound === 'above' || bound === 'at least') return high >= value
  if (bound === 'below') return low <= value
  return low <= value && value <= high
}

/** Why the other published figures are not scored, by the beginning of their ids. */
const REASONS: readonly (readonly [string, RegExp])[] = [
  [
    'inputs of the simulation, for this campaign or others',
    /^(?:mlperf-init|dcp-|rsc-rf|opt-attr|megascale-detect|llama3-store|tpuv4-res|bloom-ckpt|bloom-save|opt-ckpt)/,
  ],
  ['the split of one count by cause, or the same count in another unit', /^llama3-(?:cause|all|planned|mtti|rate)/],
  ['single events, practice or a lesson: there is no rate in them to predict', /^(?:bloom-|opt-|llama3-|megascale-|palm-spike|rsc-lemon)/],
  ['the source gives no number of accelerators', /^(?:gemini|byterobust-m)/],
  ['a lower bound that smaller early batches dominate', /^palm-good/],
]

function unscoredFigures(scored: ReadonlySet<string>): ReliabilityValidation['notScored'] {
  const left = [...PUBLISHED.keys()].filter((id) => !scored.has(id))
  return REASONS.map(([why, ids], index) => ({
    why,
    ids: left.filter((id) => REASONS.findIndex(([, each]) => each.test(id)) === index && ids.test(id)),
  })).filter(({ ids }) => ids.length > 0)
}
