// Which trials of a sweep go on. Asynchronous successive halving (L. Li et al., "A system for massively parallel hyperparameter tuning", 2020) in
// the form that stops: at each rung a trial goes on while it is among the best of those that have come so far. Nothing is remembered between two
// looks, so a driver that was killed decides as one that was not: the losses that the runs reported are all there is.

import type { SweepSpec } from '@ironlaw/contracts/sweep-spec'

export type Stopping = NonNullable<SweepSpec['stopping']>

export type StepLoss = { readonly step: number; readonly loss: number }

/** The rungs below the end of a run. */
export function rungsOf({ first, factor }: Stopping, total: number): readonly number[] {
  const rungs: number[] = []
  for (let rung = first; rung < total; rung *= factor) rungs.push(rung)
  return rungs
}

/** Losses of single batches differ more than those of trials that are nearly as good. */
const WINDOW = 0.1

/**
 * Mean loss over the last tenth of the steps up to one; undefined while the trial is not there. Divergence counts as infinite: a loss that is no
 * number is worse than any.
 */
export function lossAt(steps: readonly StepLoss[], step: number): number | undefined {
  if (!steps.some((each) => each.step >= step)) return undefined
  const window = steps.filter((each) => each.step <= step && each.step > step * (1 - WINDOW))
  // A program may report every hundredth step only.
  const seen = window.length > 0 ? window : steps.filter((each) => each.step <= step).slice(-1)
  if (seen.length === 0) return undefined
  const mean = seen.reduce((sum, { loss }) => sum + loss, 0) / seen.length
  return Number.isFinite(mean) ? mean : Infinity
}

export type Trial = {
  readonly trial: number
  readonly isLive: boolean
  /** At each rung that it has reached, from the first. */
  readonly losses: readonly number[]
}

export type TrialJudgement = {
  readonly trial: number
  /** Index of the highest rung that it has reached. */
  readonly rung: number
  /** Among those that have reached it; the best is first. */
  readonly place: number
  readonly of: number
  readonly goesOn: boolean
}

/** Undefined before the first rung. Fewer than `factor` are not compared: of two, none is the best third. */
export function judgeTrial({ trial, losses }: Trial, trials: readonly Trial[], factor: number): TrialJudgement | undefined {
  const rung = losses.length - 1
  const loss = losses[rung]
  if (loss === undefined) return undefined
  const rivals = trials.filter((each) => each.losses.length > rung)
  const place = rivals.filter((each) => isBefore(each.losses[rung] as number, each.trial, { loss, trial })).length + 1
  return { trial, rung, place, of: rivals.length, goesOn: rivals.length < factor || place <= Math.ceil(rivals.length / factor) }
}

/** Of two with the same loss the one that was started first is better. */
const isBefore = (loss: number, trial: number, than: { readonly loss: number; readonly trial: number }): boolean =>
  loss < than.loss || (loss === than.loss && trial < than.trial)

export type SweepDecision = { readonly stop: readonly TrialJudgement[]; readonly start: readonly number[] }

type Sweep = {
  /** Those that were started. */
  readonly trials: readonly Trial[]
  readonly count: number
  readonly atOnce: number
  readonly stopping?: Stopping | undefined
}

export function decideSweep({ trials, count, atOnce, stopping }: Sweep): SweepDecision {
  const live = trials.filter(({ isLive }) => isLive)
  const judged = stopping ? live.flatMap((each) => judgeTrial(each, trials, stopping.factor) ?? []) : []
  const stop = judged.filter(({ goesOn }) => !goesOn)
  const started = new Set(trials.map(({ trial }) => trial))
  const free = Math.max(0, atOnce - live.length)
  const start = Array.from({ length: count }, (_, trial) => trial)
    .filter((trial) => !started.has(trial))
    .slice(0, free)
  return { stop, start }
}
