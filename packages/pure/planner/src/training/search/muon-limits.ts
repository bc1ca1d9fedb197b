// What Muon does not run with, which depends on the software: an update needs whole matrices, and Megatron-LM divides only its states.

import type { MemoryInputs } from '../memory/layer-memory.ts'
import type { Strategy } from '../strategy.ts'

type Placement = Partial<Pick<Strategy, 'shards' | 'optimizerOn'>>
export type MuonProblem = { readonly field: 'shards' | 'optimizerOn'; readonly problem: string }

/** Undefined where the optimizer is another one, or its states are divided and placed as the software can. */
export function muonProblem({ job, machine: { runtime } }: MemoryInputs, { shards, optimizerOn }: Placement): MuonProblem | undefined {
  if (job.policy.optimizer !== 'muon' || runtime.muonShards === 'weights') return undefined
  if (shards === 'gradients' || shards === 'weights')
    return { field: 'shards', problem: `${runtime.name} divides the states of Muon, not ${shards}: set strategy.shards: optimizer` }
  return optimizerOn === 'host' || optimizerOn === 'nvme'
    ? { field: 'optimizerOn', problem: `${runtime.name} keeps the states of Muon on the device: set strategy.optimizerOn: device` }
    : undefined
}
