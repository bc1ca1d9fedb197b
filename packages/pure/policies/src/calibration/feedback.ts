// What finished runs teach about the prediction: by ranks on a node and class of work, the factor between measured and predicted time.
//
// A run implies a factor: its median measured time over what the plan would have predicted without corrections. Runs of one batch are
// joined by their median, so none of them and no order of them decides; the result is averaged, in logarithms, with what earlier runs
// showed, and moves by a bounded step. What is not worth learning from is refused with the reason and moves nothing.

import { median } from '@ironlaw/laws/quantile'
import type { WorkClass } from '@ironlaw/contracts'
import { showPercent } from '@ironlaw/units'
import { figureOf } from './samples.ts'

/** `spread` is one standard deviation of a run around the factor, relative. */
export type Correction = { readonly factor: number; readonly spread: number; readonly runs: number }

/** By ranks on a node, then by class. */
export type Corrections = Readonly<Record<string, Readonly<Partial<Record<WorkClass, Correction>>>>>

/** One class of work of one finished run. */
export type WorkObservation = {
  readonly run: string
  /** On each node. */
  readonly ranks: number
  readonly work: WorkClass
  /** By the plan, with the correction that was in force. */
  readonly predicted_s: number
  readonly correction: number
  /** The whole step, by the plan. */
  readonly step_s: number
  /** Measured, step by step. */
  readonly seconds: readonly number[]
}

export type LearningRefusal = { readonly run: string; readonly work: WorkClass; readonly reason: string }

export type LearnedCorrections = { readonly corrections: Corrections; readonly refused: readonly LearningRefusal[] }

export const LEARNING_LIMITS = {
  /** Steps of a run before its median says much; the first steps warm up. */
  steps: 12,
  /** A class below this share of the step: its residual is noise of the rest. */
  share: 0.003,
  /** One standard deviation of a run's own steps: beyond it the run was disturbed. */
  unsteady: 0.6,
  /** Measured against predicted, beyond which the plan was of something else, or the clock was wrong. */
  ratio: 4,
  /** Outlier limit in deviations from the other runs of its batch, and the number of runs from which it applies. */
  outlier: 3.5,
  batch: 4,
  /** One round moves a factor no further than this. */
  step: 2,
  /** Runs as which all earlier ones count at most, so that a changed machine is noticed. */
  memory: 8,
} as const

/** What no deviation goes below when outliers are looked for: steps of equal runs differ by some per cent. */
const USUAL_DEVIATION = 0.05
/** Of a factor before any run: what the measurements behind a prediction leave open. */
const PRIOR_RUNS = 1

type LearningOptions = { readonly prior: (ranks: number, work: WorkClass) => number }

export function learnedCorrections(
  before: Corrections,
  observations: readonly WorkObservation[],
  { prior }: LearningOptions,
): LearnedCorrections {
  const judged = observations.map((observation) => ({ observation, reason: refusal(observation) }))
  const refused = judged.flatMap(({ observation: { run, work }, reason }) => (reason === undefined ? [] : [{ run, work, reason }]))
  const groups = Map.groupBy(
    judged.filter(({ reason }) => reason === undefined).map(({ observation }) => observation),
    ({ ranks, work }) => `${ranks} ${work}`,
  )
  const after: Record<string, Partial<Record<WorkClass, Correction>>> = structuredClone(before)
  for (const group of groups.values()) {
    const [{ ranks, work } = { ranks: 0, work: 'compute' as const }] = group
    const { kept, outliers } = withoutOutliers(group)
    refused.push(...outliers)
    const ofRanks = (after[ranks] ??= {})
    ofRanks[work] = updatedCorrection(ofRanks[work], kept.map(impliedFactor), prior(ranks, work))
  }
  return { corrections: after, refused: refused.toSorted((a, b) => compare(a.run, b.run) || compare(a.work, b.work)) }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const impliedFactor = ({ seconds, predicted_s, correction }: WorkObservation): number => (median(seconds) * correction) / predicted_s

function refusal({ predicted_s, correction, step_s, seconds }: WorkObservation): string | undefined {
  const isPositive = (value: number): boolean => Number.isFinite(value) && value > 0
  if (!isPositive(predicted_s) || !isPositive(step_s) || !isPositive(correction)) return 'the plan predicts no time for it'
  if (!seconds.every((time) => Number.isFinite(time) && time >= 0)) return 'a measured time is negative or not a number'
  if (seconds.length < LEARNING_LIMITS.steps) return `${seconds.length} steps, fewer than ${LEARNING_LIMITS.steps}`
  const { value, spread } = figureOf(seconds)
  if (!isPositive(value)) return 'nothing was measured for it'
  if (Math.max(predicted_s, value) < LEARNING_LIMITS.share * step_s) return `less than ${100 * LEARNING_LIMITS.share} % of the step`
  if (spread > LEARNING_LIMITS.unsteady) return `steps differ by ${showPercent(spread, 0)}: the run was disturbed`
  const ratio = value / predicted_s
  if (ratio > LEARNING_LIMITS.ratio || ratio < 1 / LEARNING_LIMITS.ratio)
    return `it took ${ratio.toFixed(2)} times the prediction, so this run does not match its plan`
  return undefined
}

type OutlierSplit = { readonly kept: readonly WorkObservation[]; readonly outliers: readonly LearningRefusal[] }

function withoutOutliers(group: readonly WorkObservation[]): OutlierSplit {
  if (group.length < LEARNING_LIMITS.batch) return { kept: group, outliers: [] }
  const logs = group.map((observation) => Math.log(impliedFactor(observation)))
  const middle = median(logs)
  const deviation = Math.max(USUAL_DEVIATION, 1.4826 * median(logs.map((log) => Math.abs(log - middle))))
  const isFar = (observation: WorkObservation): boolean =>
    Math.abs(Math.log(impliedFactor(observation)) - middle) > LEARNING_LIMITS.outlier * deviation
  return {
    kept: group.filter((observation) => !isFar(observation)),
    outliers: group.filter(isFar).map(({ run, work }) => ({ run, work, reason: 'an outlier among the runs of its kind' })),
  }
}

function updatedCorrection(before: Correction | undefined, factors: readonly number[], prior: number): Correction {
  const old = before ?? { factor: 1, spread: prior, runs: 0 }
  const weight = Math.min(old.runs, LEARNING_LIMITS.memory)
  const wanted = (weight * Math.log(old.factor) + factors.length * Math.log(median(factors))) / (weight + factors.length)
  const limit = Math.log(LEARNING_LIMITS.step)
  const moved = Math.log(old.factor) + Math.min(limit, Math.max(-limit, wanted - Math.log(old.factor)))
  // Sorted, so that the last bit of the sum does not depend on the order either.
  const squares = factors
    .map((factor) => (Math.log(factor) - moved) ** 2)
    .toSorted((a, b) => a - b)
    .reduce((sum, square) => sum + square, 0)
  const variance = (PRIOR_RUNS * prior ** 2 + weight * old.spread ** 2 + squares) / (PRIOR_RUNS + weight + factors.length)
  return { factor: Math.exp(moved), spread: Math.sqrt(variance), runs: old.runs + factors.length }
}
