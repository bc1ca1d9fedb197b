// A planned replica as the simulator runs it: what its steps cost, the blocks that fit, the caches that it sends or receives.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import type { ServingLayout, ServingPlan } from '@ironlaw/contracts'
import type { Architecture } from '@ironlaw/models'
import { type ClusterRule, type ReplicaPorts, type ReplicaRule, VLLM_RULE } from '@ironlaw/simulator/serving'
import { ENGINE_RUNTIMES, type EngineRuntime } from './engine-runtime.ts'
import type { Speculation } from './mechanisms.ts'
import { servingMemory } from './memory.ts'
import { SERVING_PRECISIONS } from './precision.ts'
import { type ReplicaDesign, servingMachine } from './replica-design.ts'
import { requestTime } from './request-time.ts'
import { compiledStep } from './step-time.ts'
import { transferTime } from './transfer.ts'

/** What a plan, or whoever describes a deployment without one, says about all of its replicas. */
export type DescribedReplica = Pick<ServingPlan, 'accelerator' | 'precision' | 'cache' | 'engine' | 'adapters' | 'offload'> & {
  readonly architecture: Architecture
  readonly speculation?: Speculation
}

/** Undefined where the engine or the precision is none of ours. */
export function replicaDesign(catalog: Catalog, described: DescribedReplica, layout: ServingLayout): ReplicaDesign | undefined {
  const { architecture, accelerator, cache, speculation, adapters, offload } = described
  const runtime = Object.entries(ENGINE_RUNTIMES).find(([name]) => name === described.engine)?.[1]
  const precision = Object.values(SERVING_PRECISIONS).find(({ name }) => name === described.precision)
  if (!runtime || !precision) return undefined
  const machine = servingMachine(catalog, { accelerator: acceleratorOf(catalog, accelerator).id })
  const mechanisms = { ...(speculation && { speculation }), ...(adapters && { adapters }), ...(offload && { offload }) }
  return { architecture, machine, precision, cache, runtime, layout, ...mechanisms }
}

export type ReplicaConditions = {
  /** Tokens that one hash of a prefix covers; none is cached when left out. */
  readonly prefixTokens?: number | undefined
  /** Requests that the gateway sends it at once. */
  readonly maxRunning?: number | undefined
  /** Reading what is kept of its prompt outside the device. */
  readonly load_s?: number | undefined
}

/** A pipeline lane is a batch of its own, with its share of the cache. Fewer than one block: the model does not fit. */
export function replicaRule(
  design: ReplicaDesign,
  { prefixTokens = 0, maxRunning = Infinity, load_s = 0 }: ReplicaConditions = {},
): ReplicaRule {
  const { layout, speculation } = design
  const runtime: EngineRuntime = design.runtime
  const sequences = Math.min(runtime.sequencesMost * layout.data, maxRunning)
  return {
    ...VLLM_RULE,
    lanes: layout.pipeline,
    cost: stepCost(design),
    tokensPerStep: runtime.tokensPerStep * layout.data,
    sequencesMost: Math.max(1, Math.ceil(sequences / layout.pipeline)),
    blocks: Math.floor(servingMemory(design).tokens / VLLM_RULE.blockTokens / layout.pipeline),
    request_s: requestTime(design) + runtime.client_s + load_s,
    ...(speculation && { speculation: { drafted: speculation.drafted, acceptance: speculation.acceptance, draft_s: 0 } }),
    ...(prefixTokens > 0 && { prefixTokens }),
  }
}

/** The simulator counts every token that is checked, the planner sequences: drafting is part of the planner's step. */
function stepCost(design: ReplicaDesign): ReplicaRule['cost'] {
  const { time } = compiledStep(design)
  const checked = 1 + (design.speculation?.drafted ?? 0)
  return checked === 1 ? time : (load) => time({ ...load, decodeSequences: load.decodeSequences / checked })
}

/** With steps that take longer by a factor. */
export const slowedReplica = (rule: ReplicaRule, factor: number): ReplicaRule => ({ ...rule, cost: (load) => factor * rule.cost(load) })

const LENGTH_STEP = 64

/** Every device sends its part through its own port; each copy of the attention has ports of its own. */
function portsOf(design: ReplicaDesign): ReplicaPorts {
  const known = new Map<number, number>()
  const time_s = (tokens: number): number => {
    const steps = Math.ceil(tokens / LENGTH_STEP)
    const time = known.get(steps) ?? transferTime(design, steps * LENGTH_STEP)
    known.set(steps, time)
    return time
  }
  return { time_s, ports: design.layout.data }
}

type Handover = { readonly from: ReplicaDesign; readonly to: ReplicaDesign }

export const cacheTransfer = ({ from, to }: Handover): NonNullable<ClusterRule['prefill']>['transfer'] => ({
  send: portsOf(from),
  receive: portsOf(to),
  latency_s: from.machine.fabric.portLatency,
})
