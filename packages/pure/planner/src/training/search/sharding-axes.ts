// What a search tries of sharding and of the order of passes, as far as the software has them: ZeRO stages 0, 1 and 3, stage 2 where it saves
// anything, and groups inside a node (HSDP) where weights would otherwise be gathered from other nodes.

import type { Runtime } from '../time/runtime.ts'
import type { Schedule, Shards, Strategy } from '../strategy.ts'
import type { PlanFleet } from './legality.ts'

export type Sharding = Pick<Strategy, 'shards' | 'shardGroup'>

type Axes = { readonly fixed: Partial<Strategy>; readonly shards: readonly Shards[] }

/** What decides whether an axis exists: the software and the nodes. */
export type AxisLimits = { readonly fleet: PlanFleet; readonly runtime: Runtime }

const UNSHARDED: readonly Sharding[] = [{ shards: 'nothing' }]
const GRADIENTS: readonly Sharding[] = [{ shards: 'gradients' }]

export function shardingsOf({ fixed, shards }: Axes, placed: Strategy, limits: AxisLimits): readonly Sharding[] {
  const { data, context, pipeline, shardGroup } = placed
  if (fixed.shards !== undefined) return [{ shards: fixed.shards }]
  // A spec that names a shard group wants something sharded.
  if (shardGroup !== undefined) return shards.flatMap((each) => (each === 'nothing' ? [] : [{ shards: each }]))
  if (data * context === 1) return UNSHARDED
  return [
    ...shards.map((each) => ({ shards: each })),
    // Under a pipeline, gradients stay whole until the last microbatch: nothing is saved.
    ...(pipeline === 1 ? GRADIENTS : []),
    ...(shards.includes('weights') ? inNode(placed, limits) : []),
  ]
}

function inNode({ data, context, tensor }: Strategy, { fleet, runtime }: AxisLimits): readonly Sharding[] {
  const shardGroup = fleet.perNode / tensor
  const ranks = data * context
  const divides = Number.isInteger(shardGroup) && shardGroup > 1 && shardGroup % context === 0 && ranks % shardGroup === 0
  return runtime.shardsInGroups && divides && ranks > shardGroup ? [{ shards: 'weights', shardGroup }] : []
}

const ONE_BY_ONE: readonly Schedule[] = ['1f1b']
const INTERLEAVED: readonly Schedule[] = ['interleaved']

export function schedulesOf(
  { fixed }: Pick<Axes, 'fixed'>,
  { schedules }: Runtime,
  { pipeline, virtual }: Pick<Strategy, 'pipeline' | 'virtual'>,
): readonly Schedule[] {
  if (fixed.schedule !== undefined) return [fixed.schedule]
  if (virtual > 1) return INTERLEAVED
  return pipeline === 1 ? ONE_BY_ONE : schedules
}
