// What data-parallel ranks exchange: gradients after backward passes, sharded weights before passes or after the optimizer. Under hybrid
// sharding (HSDP) a group of neighbours shards, and what its ranks hold is then reduced among the replicas of the group.

import { collectiveTime, type Fabric, spanOf } from '../../machine/fabric.ts'
import type { CollectiveName } from '../../machine/silicon.ts'
import type { Setup } from '../job.ts'
import { keepsWholeGradients } from '../memory/memory.ts'
import type { PrecisionPolicy } from '../memory/precision.ts'
import { replicatedRanks, type Strategy } from '../strategy.ts'

/** What of a stage decides its exchanges: the time of one microbatch's passes, and elements on one device. */
export type ExchangeInputs = {
  readonly forward: number
  readonly backward: number
  readonly layers: number
  readonly elements: number
  readonly routed: number
  /** Elements that are gathered and never reduced. */
  readonly frozen: number
  readonly frozenRouted: number
  /** Of the frozen ones, those of token table and head, which stay in 16 bits where layers are quantized. */
  readonly frozenEnds: number
}

type CollectiveCall = { readonly name: CollectiveName; readonly bytesPerParameter: number; readonly calls: number }

/** One exchange over the parameters of a stage: how long it holds the links, and what of that nothing hides. */
export type DataExchange = CollectiveCall & { readonly time: number; readonly exposed: number }

const reducedBytes = ({ reduced, gradient }: PrecisionPolicy): number => reduced ?? gradient

type ExchangeScope = { readonly strategy: Strategy; readonly stage: ExchangeInputs }

/** A collective over the parameters of a stage: dense ones among all replicas, experts among those that hold the same ones. */
function parameterExchangeTime(fabric: Fabric, asked: CollectiveCall, { strategy, stage }: ExchangeScope): number {
  const dense = groupTime(fabric, asked, {
    elements: stage.elements,
    ranks: strategy.data * strategy.context,
    stride: strategy.tensor,
    group: strategy.shardGroup,
  })
  if (stage.routed === 0) return dense
  const ranks = replicatedRanks(strategy).routed
  return dense + groupTime(fabric, asked, { elements: stage.routed, ranks, stride: strategy.expert, group: strategy.shardGroup })
}

type GroupLayout = { readonly elements: number; readonly ranks: number; readonly stride: number; readonly group: number | undefined }

function groupTime(
  fabric: Fabric,
  { name, bytesPerParameter, calls }: CollectiveCall,
  { elements, ranks, stride, group = ranks }: GroupLayout,
): number {
  const bytes = bytesPerParameter * elements
  const size = Math.min(group, ranks)
  const own = collectiveTime(fabric, { name, bytes, span: spanOf(fabric, size, stride), calls })
  if (name !== 'reduce-scatter' || size === ranks) return own
  // Layer after layer, one works inside a group while the other works between groups.
  const across = spanOf(fabric, ranks / size, stride * size)
  return Math.max(own, collectiveTime(fabric, { name: 'all-reduce', bytes: bytes / size, span: across, calls }))
}

const NO_EXCHANGES: readonly DataExchange[] = []

/**
 * Every microbatch: weights gathered for each pass where they are sharded, and gradients scattered where those are. As far as the passes
 * do not hide it; the first gather and, without weights to wait for, the last bucket of gradients are always exposed.
 */
export function microbatchExchanges(
  { machine: { fabric, runtime }, job: { policy } }: Setup,
  strategy: Strategy,
  stage: ExchangeInputs,
): readonly DataExchange[] {
  if (strategy.data * strategy.context === 1) return NO_EXCHANGES
  if (strategy.shards === 'gradients' && !keepsWholeGradients(strategy)) {
    const scatter = { name: 'reduce-scatter', bytesPerParameter: reducedBytes(policy), calls: 1 } as const
    const time = parameterExchangeTime(fabric, scatter, { strategy, stage })
    return [{ ...scatter, time, exposed: unhiddenTime(time, stage.backward * runtime.gradientOverlap, stage.layers) }]
  }
  if (strategy.shards !== 'weights') return NO_EXCHANGES
  const calls = Math.max(1, stage.layers * runtime.gathersPerLayer)
  const gather = { name: 'all-gather', bytesPerParameter: policy.activation, calls } as const
  const scatter = { name: 'reduce-scatter', bytesPerParameter: reducedBytes(policy), calls } as const
  const gathered = parameterExchangeTime(fabric, gather, { strategy, stage }) + frozenGather({ fabric, calls }, policy, { strategy, stage })
  const scattered = parameterExchangeTime(fabric, scatter, { strategy, stage })
  const forward = Math.max(0, gathered - stage.forward * runtime.weightOverlap) + gathered / Math.max(1, stage.layers)
  const exposed = Math.max(0, gathered + scattered - stage.backward * runtime.weightOverlap) / (gathered + scattered || 1)
  return [
    { ...gather, time: gathered, exposed: forward },
    { ...gather, time: gathered, exposed: exposed * gathered },
    { ...scatter, time: scattered, exposed: exposed * scattered },
  ]
}

/** A frozen model that is sharded travels as it is stored. */
function frozenGather(
  { fabric, calls }: { fabric: Fabric; calls: number },
  { adapter, activation }: PrecisionPolicy,
  { strategy, stage }: ExchangeScope,
): number {
  if (!adapter) return 0
  const base = { name: 'all-gather', bytesPerParameter: adapter.baseWeight, calls } as const
  const { frozen, frozenEnds, frozenRouted } = stage
  const elements = frozen - frozenEnds + (frozenEnds * activation) / adapter.baseWeight
  return parameterExchangeTime(fabric, base, { strategy, stage: { ...stage, elements, routed: frozenRouted } })
}

/** Once per step: gradients that are kept whole until then, and the weights that a sharded optimizer gives back. */
export function stepExchanges(setup: Setup, strategy: Strategy, stage: ExchangeInputs): readonly DataExchange[] {
  const { fabric, runtime } = setup.machine
  const { policy } = setup.job
  if (strategy.data * strategy.context === 1) return NO_EXCHANGES
  const matrices = wholeMatrices(setup, { strategy, stage })
  if (strategy.shards === 'weights') return matrices
  // With interleaved chunks, all but the last chunk's exchange hides under the passes of the others.
  const chunks = strategy.schedule === 'interleaved' && runtime.gradientOverlap > 0 ? strategy.virtual : 1
  const reduce = {
    name: strategy.shards === 'nothing' ? 'all-reduce' : 'reduce-scatter',
    bytesPerParameter: reducedBytes(policy),
    calls: 1,
  } as const
  const reduced = parameterExchangeTime(fabric, reduce, { strategy, stage })
  const exposed = unhiddenTime(reduced / chunks, (stage.backward / chunks) * runtime.gradientOverlap, stage.layers)
  const reduction = { ...reduce, time: reduced, exposed }
  if (strategy.shards === 'nothing') return [reduction]
  const gather = {
    name: 'all-gather',
    bytesPerParameter: policy.fullySharded === true ? policy.activation : policy.weight,
    calls: 1,
  } as const
  const time = parameterExchangeTime(fabric, gather, { strategy, stage })
  const gathering = {
    ...gather,
    time,
    exposed: unhiddenTime(time / chunks, (stage.forward / chunks) * runtime.weightOverlap, stage.layers),
  }
  return strategy.shards === 'gradients' && !keepsWholeGradients(strategy) ? [gathering, ...matrices] : [reduction, gathering, ...matrices]
}

/** Muon needs whole matrices of its 16-bit momentum where states are shared out; nothing hides that (Liu et al. 2025, section 2.3). */
function wholeMatrices({ machine: { fabric }, job: { policy } }: Setup, scope: ExchangeScope): readonly DataExchange[] {
  if (policy.optimizer !== 'muon' || scope.strategy.shards === 'nothing') return NO_EXCHANGES
  const gather = { name: 'all-gather', bytesPerParameter: 2, calls: 1 } as const
  const time = parameterExchangeTime(fabric, gather, scope)
  return [{ ...gather, time, exposed: time }]
}

/** What is left after hiding under `window`; the last bucket is always exposed. */
const unhiddenTime = (exchange: number, window: number, layers: number): number =>
  Math.max(exchange - window, exchange / Math.max(1, layers))

export function wholeTime(exchanges: readonly DataExchange[]): number {
  let sum = 0
  for (const { time } of exchanges) sum += time
  return sum
}

export function exposedTime(exchanges: readonly DataExchange[]): number {
  let sum = 0
  for (const { exposed } of exchanges) sum += exposed
  return sum
}
