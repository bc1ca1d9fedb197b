// What a search tries of sharding and of the order of passes, as far as the software has them: ZeRO stages 0, 1 and 3, stage 2 where it saves
// anything, and groups inside a node (HSDP) where weights would otherwise be gathered from other nodes.

import type { MemoryInputs } from '../memory/layer-memory.ts'
import type { Runtime } from '../time/runtime.ts'
import type { Schedule, Shards, Strategy } from '../strategy.ts'
import type { PlanFleet } from './legality.ts'
import { muonProblem } from './muon-limits.ts'

export type Sharding = Pick<Strategy, 'shards' | 'shardGroup'>

type Axes = { readonly fixed: Partial<Strategy>; readonly shards: readonly Shards[] }

/** What decides whether an axis exists: the software, the optimizer and the nodes. */
type AxisLimits = { readonly fleet: PlanFleet; readonly setup: MemoryInputs }

const UNSHARDED: readonly Sharding[] = [{ shards: 'nothing' }]

/** The shardings to try of what is placed; made once for a search, which asks for every placement. */
export function shardingsWithin({ fixed, shards: all }: Axes, { fleet, setup }: AxisLimits): (placed: Strategy) => readonly Sharding[] {
  if (fixed.shards !== undefined) return () => [{ shards: fixed.shards ?? 'nothing' }]
  const divides = (each: Shards): boolean => muonProblem(setup, { shards: each }) === undefined
  const shards = all.filter(divides)
  const staged = shards.map((each) => ({ shards: each }))
  // A spec that names a shard group wants something sharded.
  if (fixed.shardGroup !== undefined) return () => staged.filter((each) => each.shards !== 'nothing')
  // Under a pipeline, gradients stay whole until the last microbatch: nothing is saved.
  const unpiped: readonly Sharding[] = shards.includes('optimizer') && divides('gradients') ? [...staged, { shards: 'gradients' }] : staged
  const groups = setup.machine.runtime.shardsInGroups && shards.includes('weights')
  // Weights would be gathered for every microbatch. No software does: torchtitan keeps them whole in a pipeline, Megatron-FSDP is run without one.
  const piped = staged.filter((each) => each.shards !== 'weights')
  return (placed) => {
    if (placed.data * placed.context === 1) return UNSHARDED
    if (placed.pipeline > 1) return piped
    const shardGroup = groups ? groupInNode(placed, fleet) : undefined
    return shardGroup === undefined ? unpiped : [...unpiped, { shards: 'weights', shardGroup }]
  }
}

/** How many ranks of a node shard together, where they are fewer than all and divide them. */
function groupInNode({ data, context, tensor }: Strategy, { perNode }: PlanFleet): number | undefined {
  const group = perNode / tensor
  const ranks = data * context
  const divides = Number.isInteger(group) && group > 1 && group % context === 0 && ranks % group === 0
  return divides && ranks > group ? group : undefined
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
