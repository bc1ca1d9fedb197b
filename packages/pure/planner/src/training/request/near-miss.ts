// Sizes a few per cent from those stated that would divide much better: batch 1,024 instead of 977, sequences of 8,192 instead of 8,000. Each
// costs a search of its own, so only sizes that divide badly have one, and only one for each size.

import { quantityOf } from '@ironlaw/contracts'
import { seconds, show, showPercent } from '@ironlaw/units'
import { batchNear, waysToDivide } from './batch-size.ts'
import { fleetSizes, type PlanningResult, type TrainingPlanInputs } from '../plan-training.ts'
import type { TrainingAnswer } from './training-answer.ts'
import type { TrainingRequest } from './training-request.ts'

export type NearMiss = {
  readonly field: 'globalBatch' | 'sequence'
  readonly from: number
  readonly to: number
  /** What to plan instead. */
  readonly wanted: Omit<TrainingPlanInputs, 'keep' | 'progress'>
}

export type Suggestion = Pick<NearMiss, 'field' | 'from' | 'to'> & {
  readonly duration_s: number
  /** Share of the whole run that it saves; absent where the stated size has no plan at all. */
  readonly gain?: number
  readonly text: string
}

/** A neighbour with less than half as many ways again to be divided hardly ever gains what is worth a remark. */
const WORTH_SEARCHING = 1.5
/** Gains below this are within what the prediction can tell. */
const WORTH_SAYING = 0.05
/** Kernels and sequence parallelism want multiples of this. */
const TILE = 128
const ROUND_LENGTH = 1024
/** How far a sequence may move. */
const WITHIN = 0.05

export const nearMisses = (request: TrainingRequest): readonly NearMiss[] => [...batchMiss(request), ...sequenceMiss(request)]

function batchMiss({ spec, wanted }: TrainingRequest): readonly NearMiss[] {
  const { job, fleet, fixed = {} } = wanted
  const from = job.globalBatch
  // Tokens that are no whole number of sequences were rounded to the best count already.
  if (typeof spec.globalBatch === 'string' && quantityOf(spec.globalBatch, 'token') !== from * job.sequence) return []
  const division = { fleets: fleetSizes(fleet.devices, fleet.perNode), fixed }
  const to = batchNear(from, division)
  if (waysToDivide(to, division) < WORTH_SEARCHING * waysToDivide(from, division) || to === from) return []
  return [{ field: 'globalBatch', from, to, wanted: { ...wanted, job: { ...job, globalBatch: to } } }]
}

function sequenceMiss({ wanted }: TrainingRequest): readonly NearMiss[] {
  const { job } = wanted
  const from = job.sequence
  const unit = from < ROUND_LENGTH ? TILE : ROUND_LENGTH
  const to = Math.round(from / unit) * unit
  if (from % TILE === 0 || to === 0 || Math.abs(to / from - 1) > WITHIN) return []
  return [{ field: 'sequence', from, to, wanted: { ...wanted, job: { ...job, sequence: to } } }]
}

/** Undefined when the neighbour is not clearly better. */
export function suggestionOf(
  { best, planning }: TrainingAnswer,
  { field, from, to }: NearMiss,
  near: PlanningResult,
): Suggestion | undefined {
  const found = near.plans[0]
  if (!found || (near.tight && !planning.tight)) return undefined
  const { duration_s } = found.plan.prediction
  const change = `${field === 'sequence' ? 'sequences of' : 'batch'} ${to.toLocaleString('en')} instead of ${from.toLocaleString('en')}`
  const takes = show(seconds(duration_s), 's')
  if (!best) return { field, from, to, duration_s, text: `${change} would fit: ${takes} for all tokens` }
  const now_s = best.plan.prediction.duration_s
  const gain = 1 - duration_s / now_s
  if (gain <= WORTH_SAYING) return undefined
  const text = `${change}: ${takes} for all tokens instead of ${show(seconds(now_s), 's')} (${showPercent(gain, 0)} less)`
  return { field, from, to, duration_s, gain, text }
}
