// Rates by kind of work and machine from finished runs, for the next plan. Runs are averaged in logarithms, each by how long its work took: a long one says more. How far the next run may be
// off is learned with it, and is judged on runs that were left out.

import type { DataPlan, DataRunFigures } from '@ironlaw/contracts/data-plan'
import { median } from '@ironlaw/laws/quantile'
import { Z90 } from './estimate.ts'
import type { LearnedRates } from './rates.ts'

type FinishedWork = {
  readonly does: string
  readonly bytes: number
  readonly time_s: number
  /** By the plan that the run followed. */
  readonly planned_s?: number
}

export type FinishedDataRun = {
  readonly run: string
  /** As in the plan. */
  readonly machine: string
  readonly work: readonly FinishedWork[]
}

/** Work of this length counts half as much as work without end. */
const HALF_WEIGHT_S = 10
/** Before any run: how far one of its kind may lie off, and as how many runs that counts. */
const PRIOR_SPREAD = 0.2
const PRIOR_WEIGHT = 1
/** Shorter work is noise of the clock. */
const LEAST_S = 0.01
/** Runs that are remembered, the newest, so that a changed machine is noticed. */
const MEMORY = 20

/** Further spread of work that was done in no time, as of a probe: it has hardly warmed up, and opening files is most of it. */
const SHORT_SPREAD = 0.3

type Observation = { readonly log: number; readonly weight: number; readonly time_s: number }

/** What a run teaches. Recovery and waiting are no work, so neither is learned; steps have what the plan predicted for them where as many workers did them. */
export function finishedWork({ work, causes_s }: DataRunFigures, plan?: DataPlan): readonly FinishedWork[] {
  const steps = new Set(plan?.prediction.left.map(({ step }) => step))
  // Figures of earlier releases do not say what a step did.
  const known = work.filter(({ does }) => does !== '')
  return known.map(({ step, does, bytes, time_s }) => {
    const [planned, measured] = steps.has(step) ? [plan?.prediction.causes_s[step]?.value, causes_s[step]] : []
    const workers = measured === undefined || measured === 0 ? 0 : Math.round(time_s / measured)
    return { does, bytes, time_s, ...(planned !== undefined && workers === plan?.workers ? { planned_s: planned * workers } : {}) }
  })
}

/** By kind of work, from the runs on one kind of machine, the newest last. */
export function learnedRates(runs: readonly FinishedDataRun[], machine: string): LearnedRates {
  const byWork = new Map<string, Observation[]>()
  for (const { work } of runs.filter((run) => run.machine === machine).slice(-MEMORY))
    for (const { does, bytes, time_s } of work.filter((each) => each.bytes > 0 && each.time_s >= LEAST_S)) {
      const observed = byWork.get(does) ?? []
      observed.push({ log: Math.log(time_s / bytes), weight: time_s / (time_s + HALF_WEIGHT_S), time_s })
      byWork.set(does, observed)
    }
  return Object.fromEntries([...byWork].map(([does, observed]) => [does, rateOf(observed)]))
}

function rateOf(observed: readonly Observation[]): LearnedRates[string] {
  const weight = observed.reduce((sum, each) => sum + each.weight, 0)
  const mean = observed.reduce((sum, each) => sum + each.weight * each.log, 0) / weight
  const squares = observed.reduce((sum, each) => sum + each.weight * (each.log - mean) ** 2, 0)
  const variance = (PRIOR_WEIGHT * PRIOR_SPREAD ** 2 + squares) / (PRIOR_WEIGHT + weight)
  const short = SHORT_SPREAD / (1 + observed.reduce((sum, { time_s }) => sum + time_s, 0))
  // The mean of few runs is itself off.
  return { s_per_byte: Math.exp(mean), spread: Math.sqrt(variance * (1 + 1 / (PRIOR_WEIGHT + weight))) + short, runs: observed.length }
}

type HeldOutRate = FinishedWork & {
  readonly run: string
  readonly predicted_s: number
  /** Whether the 90 % interval holds the measured time. */
  readonly inside: boolean
}

/** Each run predicted from the others of its machine, never from itself; what no other run did is left out. */
export const heldOutRates = (runs: readonly FinishedDataRun[]): readonly HeldOutRate[] =>
  runs.flatMap((left) => {
    const rates = learnedRates(
      runs.filter(({ run }) => run !== left.run),
      left.machine,
    )
    return left.work.flatMap((work) => {
      const { does, bytes, time_s } = work
      const rate = rates[does]
      if (!rate || bytes <= 0 || time_s < LEAST_S) return []
      const predicted_s = rate.s_per_byte * bytes
      return [{ ...work, run: left.run, predicted_s, inside: Math.abs(Math.log(time_s / predicted_s)) <= Z90 * rate.spread }]
    })
  })

export type HeldOutErrors = {
  /** Figures compared: one for each kind of work of each run that another run did too. */
  readonly figures: number
  /** Median of |predicted - measured| / measured, and the share inside the 90 % interval. */
  readonly error: number
  readonly inside: number
  /** Of the figures that plans had predicted, as planned and from the other runs. */
  readonly planned?: { readonly figures: number; readonly before: number; readonly after: number }
}

/** Undefined before a second run of the same work. */
export function heldOutErrors(runs: readonly FinishedDataRun[]): HeldOutErrors | undefined {
  const rows = heldOutRates(runs)
  if (rows.length === 0) return undefined
  const off = (predicted_s: number, time_s: number): number => Math.abs(predicted_s - time_s) / time_s
  const planned = rows.flatMap(({ planned_s, predicted_s, time_s }) =>
    planned_s === undefined ? [] : [{ before: off(planned_s, time_s), after: off(predicted_s, time_s) }],
  )
  return {
    figures: rows.length,
    error: median(rows.map(({ predicted_s, time_s }) => off(predicted_s, time_s))),
    inside: rows.filter(({ inside }) => inside).length / rows.length,
    ...(planned.length > 0 && {
      planned: {
        figures: planned.length,
        before: median(planned.map(({ before }) => before)),
        after: median(planned.map(({ after }) => after)),
      },
    }),
  }
}
