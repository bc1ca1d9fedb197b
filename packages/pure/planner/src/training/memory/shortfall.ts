// When a strategy does not fit: what dominates, and which single change would make it fit, the least disruptive first.

import { fitProbabilityOf, marginFor } from './device-need.ts'
import { type PlanFleet, illegality } from '../search/legality.ts'
import { muonProblem } from '../search/muon-limits.ts'
import type { MemoryInputs } from './layer-memory.ts'
import { stagePositions, hostBytes, memoryAccount, type MemoryTerm, stageLoad, type StageMemory } from './memory.ts'
import { withOptimizer } from './optimizer.ts'
import { POLICIES, type PrecisionPolicy } from './precision.ts'
import type { Strategy } from '../strategy.ts'

type Remedy = { readonly change: string; readonly strategy: Strategy; readonly memory_bytes: number; readonly probability: number }

/** Memory of a device, and the probability with which a strategy is to fit. */
type MemoryLimit = { readonly limit: number; readonly probability: number }

export type Shortfall = {
  readonly need_bytes: number
  readonly limit_bytes: number
  /** That it fits all the same. */
  readonly probability: number
  readonly stage: number
  readonly dominant: MemoryTerm
  readonly remedies: readonly Remedy[]
  /** What would fit with the same strategy if something else were trained. */
  readonly otherwise: readonly string[]
}

/** Changes of what is trained, which are the user's to make: the strategy stays. */
const OTHER_POLICIES: readonly { readonly change: string; readonly to: (policy: PrecisionPolicy) => PrecisionPolicy | undefined }[] = [
  {
    change: 'keep the moments in 8 bits (optimizer: adam-8bit)',
    to: (policy) => (policy.optimizer === undefined && !policy.adapter ? withOptimizer(policy, 'adam-8bit') : undefined),
  },
  { change: 'train adapters (precision: lora)', to: ({ adapter }) => (adapter ? undefined : POLICIES.lora) },
  {
    change: 'train adapters beside quantized weights (precision: qlora)',
    to: ({ adapter }) => (adapter && adapter.baseWeight < 2 ? undefined : POLICIES.qlora),
  },
]

type Change = { readonly change: string; readonly to: (strategy: Strategy) => Partial<Strategy> | undefined }

/** In the order in which a user would try them: first what costs nothing but time, then what reshapes the job. */
const CHANGES: readonly Change[] = [
  {
    change: 'shard the optimizer among data-parallel ranks',
    to: ({ shards, data }) => (shards === 'nothing' && data > 1 ? { shards: 'optimizer' } : undefined),
  },
  { change: 'recompute attention', to: ({ recompute }) => (recompute === 'none' ? { recompute: 'selective' } : undefined) },
  { change: 'halve the microbatch', to: ({ microbatch }) => (microbatch % 2 === 0 ? { microbatch: microbatch / 2 } : undefined) },
  {
    change: 'divide norms and residuals along the sequence',
    to: ({ tensor, sequenceParallel }) => (tensor > 1 && !sequenceParallel ? { sequenceParallel: true } : undefined),
  },
  { change: 'recompute every layer', to: ({ recompute }) => (recompute === 'full' ? undefined : { recompute: 'full' }) },
  {
    change: 'shard the weights too',
    to: ({ shards, data, pipeline }) => (shards === 'weights' || data === 1 || pipeline > 1 ? undefined : { shards: 'weights' }),
  },
  {
    change: 'double tensor parallelism',
    to: ({ tensor, data }) => (data % 2 === 0 ? { tensor: tensor * 2, data: data / 2, sequenceParallel: true } : undefined),
  },
  {
    change: 'double the pipeline',
    to: ({ pipeline, data, shards }) => (data % 2 === 0 && shards !== 'weights' ? { pipeline: pipeline * 2, data: data / 2 } : undefined),
  },
  {
    change: 'double context parallelism',
    to: ({ context, data }) => (data % 2 === 0 ? { context: context * 2, data: data / 2 } : undefined),
  },
  {
    change: 'keep the optimizer in host memory (strategy: { optimizerOn: host })',
    to: ({ optimizerOn }) => (optimizerOn === 'device' ? { optimizerOn: 'host' } : undefined),
  },
]

type Room = MemoryLimit & { readonly fleet: PlanFleet }

/** Undefined when the strategy fits. */
export function shortfall(weighed: MemoryInputs, strategy: Strategy, room: Room): Shortfall | undefined {
  const { worst } = memoryAccount(weighed, strategy)
  if (hasRoom(worst, room)) return undefined
  const terms = Object.entries(worst.terms) as [MemoryTerm, number][]
  return {
    need_bytes: worst.device.likely,
    limit_bytes: room.limit,
    probability: fitProbabilityOf(worst.device, room.limit),
    stage: worst.stage,
    dominant: terms.reduce((largest, term) => (term[1] > largest[1] ? term : largest))[0],
    remedies: strategyRemedies(weighed, strategy, room),
    otherwise: policyRemedies(weighed, strategy, room),
  }
}

const hasRoom = ({ device: { likely, spread } }: StageMemory, { limit, probability }: MemoryLimit): boolean =>
  likely + marginFor(probability) * spread <= limit

function strategyRemedies(weighed: MemoryInputs, strategy: Strategy, room: Room): readonly Remedy[] {
  return CHANGES.flatMap(({ change, to }) => {
    const part = to(strategy)
    if (!part) return []
    const changed = { ...strategy, ...part }
    if (illegality(weighed.job, changed, room.fleet) !== undefined || muonProblem(weighed, changed)) return []
    if (hostNeed(weighed, changed) > (weighed.machine.host?.memory ?? Infinity)) return []
    const { worst } = memoryAccount(weighed, changed)
    if (!hasRoom(worst, room)) return []
    return [{ change, strategy: changed, memory_bytes: worst.device.likely, probability: fitProbabilityOf(worst.device, room.limit) }]
  })
}

const policyRemedies = ({ job, machine }: MemoryInputs, strategy: Strategy, room: MemoryLimit): readonly string[] =>
  OTHER_POLICIES.flatMap(({ change, to }) => {
    const policy = to(job.policy)
    return policy && hasRoom(memoryAccount({ job: { ...job, policy }, machine }, strategy).worst, room) ? [change] : []
  })

/** Bytes that a strategy lays into the host, per device. */
const hostNeed = (weighed: MemoryInputs, strategy: Strategy): number =>
  hostBytes(
    weighed.job,
    strategy,
    stagePositions(weighed, strategy).map((place) => stageLoad(weighed.job, strategy, place)),
  )
