// Model and hardware FLOPs utilization. Model FLOPs are what the model's operators need for every token of the step, forward and backward,
// attention counted over the pairs a causal mask leaves; hardware FLOPs add what is computed again.

import { flopTotals, operatorList } from '@ironlaw/models'
import { withinDocuments } from './local-operators.ts'
import type { TrainingJob } from '../job.ts'
import type { Strategy } from '../strategy.ts'

export type StepFlops = { readonly model: number; readonly hardware: number }

export function stepFlops(job: TrainingJob, { recompute }: Pick<Strategy, 'recompute'>): StepFlops {
  const operators = operatorList(job.architecture, {
    batch: 1,
    tokens: job.sequence,
    context: 0,
    precision: { weight: 2, activation: 2, cache: 2 },
    attention: 'unfused',
  }).map((operator) => withinDocuments(job, operator))
  const { forward, backward } = flopTotals(operators)
  const layers = flopTotals(operators.filter(({ stack }) => stack === 'decoder' || stack === 'encoder')).forward
  const core = flopTotals(operators.filter(({ kind }) => kind === 'attention')).forward
  const again = recompute === 'full' ? layers : recompute === 'selective' ? core : 0
  // Frozen weights get no gradient: of the two products of a backward pass, one is left. Attention has no weights.
  const products = flopTotals(operators.filter(({ kind }) => kind === 'gemm' || kind === 'grouped-gemm'))
  const back = job.policy.adapter ? backward - products.backward / 2 : backward
  const reference = job.reference ? forward : 0
  const model = job.globalBatch * (forward + back + reference)
  return { model, hardware: model + job.globalBatch * again }
}
