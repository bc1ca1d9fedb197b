// A training spec as the controls of the studio show it; what they cannot show is the rest.

import { quantityOf, readSequence } from '@ironlaw/contracts'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { stateOf } from '../address.ts'
import { restOf } from '../specs/spec-rest.ts'
import { TRAINING, type TrainingState } from './question.ts'
import { tokensText, trainsAdapters, writtenTrainSpec } from './written-spec.ts'

const DEFAULTS = stateOf(TRAINING, new URLSearchParams())

export function trainingStateOf(spec: TrainSpec): TrainingState {
  const { run: _, ...planned } = normalTrainSpec(spec)
  const { fleet, precision = DEFAULTS.precision, lora, documents, failures = {}, strategy = {} } = planned
  const state: TrainingState = {
    ...DEFAULTS,
    model: planned.model,
    accelerator: fleet.accelerator,
    devices: fleet.count,
    link: fleet.link ?? '',
    region: planned.region ?? '',
    tokens: quantityOf(planned.tokens, 'token'),
    sequence: typeof planned.sequence === 'number' ? planned.sequence : DEFAULTS.sequence,
    batch: typeof planned.globalBatch === 'number' ? planned.globalBatch : DEFAULTS.batch,
    precision,
    optimizer: planned.optimizer ?? 'adam',
    ...(lora && { loraRank: lora.rank, loraTargets: lora.targets }),
    method: planned.method ?? 'next-token',
    documents: documents?.lengths.mean ?? 0,
    packing: documents?.packed === false ? 'padded' : 'packed',
    runtime: planned.runtime ?? DEFAULTS.runtime,
    goal: planned.goal,
    deadline: planned.deadline ?? '',
    budget: planned.budget ?? '',
    optimizerOn: strategy.optimizerOn ?? 'planned',
    failures: Math.round(failures.perThousandNodeDays ?? 0),
    restart: failures.restart ?? 'job',
    checkpointTo: failures.checkpointTo ?? 'storage',
  }
  return { ...state, rest: restOf(planned, writtenTrainSpec(state)) }
}

/** Sizes as the controls write them, and adapters in full. */
export function normalTrainSpec(spec: TrainSpec): TrainSpec {
  const sequence = readSequence(String(spec.sequence))
  const batch = typeof spec.globalBatch === 'string' && sequence.ok ? quantityOf(spec.globalBatch, 'token') / sequence.value : Number.NaN
  return {
    ...spec,
    tokens: tokensText(Math.round(quantityOf(spec.tokens, 'token'))),
    ...(sequence.ok && { sequence: sequence.value }),
    ...(Number.isInteger(batch) && { globalBatch: batch }),
    ...(trainsAdapters({ precision: spec.precision ?? '' }) && { lora: spec.lora ?? { rank: 16, targets: 'all-linear' } }),
  }
}
