// Numbers that several targets derive from a plan.

import type { TrainingPlan } from '@ironlaw/contracts'
import { warningIf } from './exported.ts'

/** Sequences seen in the whole run; the last step is completed rather than cut. */
export const samplesOf = (plan: TrainingPlan): number => stepsOf(plan) * plan.globalBatch

export const stepsOf = ({ tokens, sequence, globalBatch }: TrainingPlan): number => Math.ceil(tokens / (sequence * globalBatch))

/** Passes of one data-parallel rank per optimizer step. */
export const microbatchesOf = ({ globalBatch, decision }: TrainingPlan): number => globalBatch / (decision.data * decision.microbatch)

/** Copies of what is sharded: more than one is hybrid sharding. */
export function replicasOf({ data, context, shards, shardGroup }: TrainingPlan['decision']): number {
  if (shards === 'nothing') return data
  return shardGroup === undefined ? 1 : (data * context) / shardGroup
}

/** Chunks of layers over all pipeline ranks. */
export const chunksOf = ({ pipeline, virtual, schedule }: TrainingPlan['decision']): number =>
  pipeline * (schedule === 'interleaved' ? virtual : 1)

/** A plan that contradicts itself cannot be launched by anything, so these belong among what is impossible. */
export function contradictions(plan: TrainingPlan): readonly string[] {
  const { tensor, context, pipeline, data, shardGroup } = plan.decision
  const used = tensor * context * pipeline * data
  const replicas = replicasOf(plan.decision)
  const microbatches = microbatchesOf(plan)
  return [
    ...warningIf(used !== plan.fleet.devices, `the decision uses ${used} devices, the fleet has ${plan.fleet.devices}`),
    ...warningIf(
      !Number.isInteger(microbatches),
      `a batch of ${plan.globalBatch} does not divide into whole microbatches (${microbatches})`,
    ),
    ...warningIf(!Number.isInteger(replicas), `shards of ${shardGroup} ranks do not divide ${data * context} data and context ranks`),
  ]
}
