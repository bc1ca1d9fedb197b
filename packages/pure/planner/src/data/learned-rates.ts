// Rates by kind of work and machine from finished runs, for the next plan. Runs are averaged in logarithms, each by how long its work took: a long one says more. How far the next run may be
// off is learned with it, and is judged on runs that were left out.

import type { DataRunFigures } from '@ironlaw/contracts/data-plan'
import { Z90 } from './estimate.ts'
import type { LearnedRates } from './rates.ts'

export type FinishedDataRun = {
  readonly run: string
  /** As in the plan. */
  readonly machine: string
  readonly work: DataRunFigures['work']
}

/** Work of this length counts half as much as work without end. */
const HALF_WEIGHT_S = 10
/** Before any run: how far one of its kind may lie off, and as how many runs that counts. */
const PRIOR_SPREAD = 0.2
const PRIOR_WEIGHT = 1
/** Shorter work is noise of the clock. */
const LEAST_S = 0.01

type Observation = { readonly log: number; readonly weight: number }

/** By kind of work, from all runs on one kind of machine. */
export function learnedRates(runs: readonly FinishedDataRun[], machine: string): LearnedRates {
  const byWork = new Map<string, Observation[]>()
  for (const { work } of runs.filter((run) => run.machine === machine))
    for (const { step, bytes, time_s } of work.filter((each) => each.bytes > 0 && each.time_s >= LEAST_S)) {
      const observed = byWork.get(step) ?? []
      observed.push({ log: Math.log(time_s / bytes), weight: time_s / (time_s + HALF_WEIGHT_S) })
      byWork.set(step, observed)
    }
  return Object.fromEntries([...byWork].map(([step, observed]) => [step, rateOf(observed)]))
}

function rateOf(observed: readonly Observation[]): LearnedRates[string] {
  const weight = observed.reduce((sum, each) => sum + each.weight, 0)
  const mean = observed.reduce((sum, each) => sum + each.weight * each.log, 0) / weight
  const squares = observed.reduce((sum, each) => sum + each.weight * (each.log - mean) ** 2, 0)
  const variance = (PRIOR_WEIGHT * PRIOR_SPREAD ** 2 + squares) / (PRIOR_WEIGHT + weight)
  // The mean of few runs is itself off.
  return { s_per_byte: Math.exp(mean), spread: Math.sqrt(variance * (1 + 1 / (PRIOR_WEIGHT + weight))), runs: observed.length }
}

export type HeldOutRate = {
  readonly run: string
  readonly work: string
  readonly predicted_s: number
  readonly measured_s: number
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
    return left.work.flatMap(({ step, bytes, time_s }) => {
      const rate = rates[step]
      if (!rate || bytes <= 0 || time_s < LEAST_S) return []
      const predicted_s = rate.s_per_byte * bytes
      return [
        {
          run: left.run,
          work: step,
          predicted_s,
          measured_s: time_s,
          inside: Math.abs(Math.log(time_s / predicted_s)) <= Z90 * rate.spread,
        },
      ]
    })
  })
