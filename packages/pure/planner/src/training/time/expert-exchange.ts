// The exchange between tokens and the experts they visit, by dispatcher. Collectives send a token once per expert it visits, or to every
// rank; the kernels of DeepEP and HybridEP send it once to each node and there once to each rank that holds any of its experts.

import type { Dispatcher } from '@ironlaw/contracts'
import { vectorTime } from '../../machine/kernels.ts'
import { collectiveTime, type Span, spanOf } from '../../machine/fabric.ts'
import type { Setup } from '../job.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Division, LocalGroup } from './local-operators.ts'

/** A block of 128 elements in 8 bits with its 32-bit scale, against 16 bits each (DeepSeek-V3 report, 2024, section 3.3). */
const FP8_SHARE = (128 + 4) / 256

/** Read in 16 bits, written in 8. */
const CAST_BYTES = 3

/** One pass: tokens to their experts and back. The backward pass sends gradients the other way, as many bytes in the same precisions. */
export function expertExchangeTime(setup: Setup, group: LocalGroup, division: Division): number {
  const { expert, dispatcher = 'alltoall', dispatchPrecision = 'bf16' } = division
  const permuted = group.operators.find(({ name }) => name.endsWith('permute'))
  if (!permuted || !('rows' in permuted.operator) || !('width' in permuted.operator) || expert === 1) return 0
  const { machine, job } = setup
  const { rows, width } = permuted.operator
  const { copies, reach } = routingOf(setup, rows / (division.microbatch * job.sequence))
  const tokens = rows / copies / permuted.workBy
  const bytes = tokens * width * job.policy.activation
  const route = { bytes, copies, reach, span: spanOf(machine.fabric, expert, 1) }
  const back = WAY_TIME[dispatcher](machine, { ...route, returning: true })
  if (dispatchPrecision === 'bf16') return back + WAY_TIME[dispatcher](machine, { ...route, returning: false })
  const there = WAY_TIME[dispatcher](machine, { ...route, bytes: bytes * FP8_SHARE, returning: false })
  return back + there + vectorTime(machine.engine, tokens * width * CAST_BYTES)
}

/** All that depends on the dispatcher, forward and backward. */
export const dispatchTime = (setup: Setup, group: LocalGroup, division: Division): number => 2 * expertExchangeTime(setup, group, division)

type Routing = {
  /** Experts that a token visits. */
  readonly copies: number
  /** Of how many groups of experts, where the model limits them. */
  readonly reach: { readonly groups: number; readonly visited: number } | undefined
}

function routingOf({ job: { architecture } }: Setup, copies: number): Routing {
  const moe = architecture.groups.flatMap(({ layers }) => layers).find((layer) => layer.kind === 'moe')
  return { copies, reach: moe?.kind === 'moe' ? moe.groupLimit : undefined }
}

type Route = Routing & {
  /** Of all tokens of a rank, each once. */
  readonly bytes: number
  readonly span: Span
  readonly returning: boolean
}

const WAY_TIME: Readonly<Record<Dispatcher, (machine: Machine, route: Route) => number>> = {
  // Every rank receives the tokens of all and gives back its part of their sums.
  allgather: ({ fabric }, { bytes, span, returning }) =>
    collectiveTime(fabric, { name: returning ? 'reduce-scatter' : 'all-gather', bytes: bytes * span.size, span }),
  alltoall: ({ fabric }, { bytes, copies, span }) => collectiveTime(fabric, { name: 'all-to-all', bytes: bytes * copies, span }),
  deepep: frugalTime,
  hybridep: frugalTime,
}

/** Once to each node with any of a token's experts, from there once to each such rank, both at a time. */
function frugalTime({ fabric }: Machine, { bytes, copies, reach, span }: Route): number {
  const nodes = span.size / span.inNode
  const inside = { size: span.inNode, inNode: span.inNode }
  const ranks = visitedOf(span.size, copies)
  const within = collectiveTime(fabric, { name: 'all-to-all', bytes: bytes * ranks, span: inside })
  if (nodes <= 1) return within
  const visited = visitedOf(reachedNodes(nodes, reach), copies)
  return Math.max(within, collectiveTime(fabric, { name: 'all-to-all', bytes: bytes * visited, span }))
}

/** Of so many places, those that are drawn at least once. */
const visitedOf = (places: number, draws: number): number => places * (1 - (1 - 1 / places) ** draws)

/** Nodes that the groups chosen for a token lie on: several groups to a node, or several nodes to a group. */
function reachedNodes(nodes: number, reach: Routing['reach']): number {
  if (!reach) return nodes
  const { groups, visited } = reach
  if (nodes >= groups) return (nodes * visited) / groups
  const perNode = groups / nodes
  let missed = 1
  for (let at = 0; at < visited; at += 1) missed *= Math.max(0, groups - perNode - at) / (groups - at)
  return nodes * (1 - missed)
}
