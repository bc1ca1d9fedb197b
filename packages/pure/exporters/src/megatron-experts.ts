// The exchange with experts as arguments of Megatron-LM: the dispatcher that was priced, and whether it is overlapped
// (`overlap_moe_expert_parallel_comm` and `moe_flex_dispatcher_backend` of transformer_config.py at d98e8a6).

import type { Dispatcher, TrainingPlan } from '@ironlaw/contracts'
import { warningIf } from './exported.ts'
import { flagsIf, type Flags, type FlagGroup } from './megatron-flags.ts'

const DISPATCHER_FLAGS: Readonly<Record<Dispatcher, Flags>> = {
  allgather: [['--moe-token-dispatcher-type', 'allgather']],
  alltoall: [['--moe-token-dispatcher-type', 'alltoall']],
  deepep: [
    ['--moe-token-dispatcher-type', 'flex'],
    ['--moe-flex-dispatcher-backend', 'deepep'],
  ],
  hybridep: [
    ['--moe-token-dispatcher-type', 'flex'],
    ['--moe-flex-dispatcher-backend', 'hybridep'],
  ],
}

export function expertFlags({ decision, model: { experts = 1 } }: TrainingPlan): FlagGroup {
  if (experts === 1) return { flags: [] }
  const { dispatcher = 'alltoall', dispatchPrecision = 'bf16', expertOverlap = false, pipeline, virtual, recompute } = decision
  return {
    flags: [
      ...DISPATCHER_FLAGS[dispatcher],
      ...flagsIf(dispatcher !== 'allgather', ['--moe-permute-fusion']),
      // Gradients of weights are what the exchanges of a backward pass hide under.
      ...flagsIf(expertOverlap, ['--overlap-moe-expert-parallel-comm'], ['--delay-wgrad-compute']),
    ],
    warnings: warningIf(
      dispatchPrecision === 'fp8',
      `dispatchPrecision fp8: ${dispatcher} of Megatron-LM sends tokens in 16 bits; leave it out`,
    ),
    impossible: [
      ...warningIf(
        expertOverlap && pipeline > 1 && virtual === 1,
        'Megatron-LM overlaps the exchange with experts only in an interleaved pipeline: set strategy.virtual above 1',
      ),
      ...warningIf(
        expertOverlap && (recompute === 'full' || decision.recomputeModules?.includes('moe') === true),
        'Megatron-LM overlaps no exchange with experts that are recomputed: set strategy.expertOverlap: false',
      ),
    ],
  }
}
