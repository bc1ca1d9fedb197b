// How full a replica keeps each resource of its devices when it takes the requests that it was sized for.

import type { Capacity, ServingPool } from '@ironlaw/contracts'
import { type Architecture, expectedExperts, flopTotals, type Moe, operatorList, parameterCounts } from '@ironlaw/models'
import { capacityOf } from '../capacity.ts'
import { devicesOf } from './layout.ts'
import { sequenceBytes } from './memory.ts'
import type { PreparedReplica } from './prepared-replica.ts'
import { decodeWork, type Lengths, prefillWork } from './steady-state.ts'
import { spansNodes, transferLimit } from './transfer.ts'

/** What a replica does at its limit. */
export type ReplicaLoad = Lengths & {
  readonly role: ServingPool['role']
  readonly cached: number
  readonly requests_per_s: number
  readonly decoding: number
}

export function servingCapacities(prepared: PreparedReplica, load: ReplicaLoad): readonly Capacity[] {
  const { replica } = prepared
  const { machine, layout } = replica
  const { fabric } = machine
  const peak = fastestPeak(prepared)
  const flops = load.requests_per_s * requestFlops(replica.architecture, load)
  const network = spansNodes(replica) ? 'port' : 'link'
  const exchanged = exchangeShare(prepared, load)
  const moved = load.role === 'all' ? 0 : load.requests_per_s / transferLimit(replica, load.input)
  const port = moved + (network === 'port' ? exchanged : 0)
  return [
    capacityOf('arithmetic', flops / devicesOf(layout) / peak, peak),
    capacityOf('memory bandwidth', bandwidthShare(prepared, load), machine.bandwidth),
    capacityOf('memory', memoryShare(prepared, load), machine.memory_bytes),
    ...(network === 'link' && exchanged > 0 ? [capacityOf('link', exchanged, fabric.linkBandwidth)] : []),
    ...(port > 0 ? [capacityOf('port', port, fabric.portBandwidth)] : []),
  ]
}

const fastestPeak = ({ replica: { machine, precision } }: PreparedReplica): number =>
  Math.max(...[precision.attention, precision.dense, precision.experts].map(({ curve }) => machine.peaks[curve]))

const PRECISION = { weight: 2, activation: 2, cache: 2 }

/** Arithmetic of one request on this replica: its prompt, beyond what is cached, and its tokens. */
function requestFlops(
  architecture: Architecture,
  { role, input, output, cached }: Omit<ReplicaLoad, 'requests_per_s' | 'decoding'>,
): number {
  const ofPass = (tokens: number, context: number, latent: 'expanded' | 'absorbed'): number =>
    flopTotals(
      operatorList(architecture, { batch: 1, tokens, context, precision: PRECISION, latent }).filter(({ stack }) => stack === 'decoder'),
    ).forward
  const fresh = input * (1 - cached)
  const whole = Math.max(1, Math.ceil(fresh))
  const prompt = role === 'decode' ? 0 : (fresh / whole) * ofPass(whole, Math.floor(input - fresh), 'expanded')
  const token = role === 'prefill' ? 0 : ofPass(1, Math.round(input + output / 2), 'absorbed')
  // The prompt's pass brings the first token.
  const passes = role === 'decode' ? output : output - 1
  return prompt + passes * token
}

/** Of a step that decodes, weights and cache read once; of prompts, the weights. */
function bandwidthShare(prepared: PreparedReplica, load: ReplicaLoad): number {
  const { replica, memory, step } = prepared
  const { layout, machine, architecture, precision } = replica
  const moe = architecture.groups.flatMap(({ layers }) => layers).find((layer): layer is Moe => layer.kind === 'moe')
  const experts = parameterCounts(architecture).byPart.experts ?? 0
  const read = (tokens: number): number =>
    memory.weights_bytes -
    (moe ? (experts * precision.experts.bytes * (1 - expectedExperts(moe, tokens) / moe.experts)) / devicesOf(layout) : 0)
  if (load.role === 'prefill') {
    const passes = load.requests_per_s / layout.data
    return (passes * read(load.input * (1 - load.cached) * layout.data)) / machine.bandwidth
  }
  const context = load.input + load.output / 2
  const perLane = Math.max(1, load.decoding / layout.pipeline)
  const cache = (perLane / layout.data) * sequenceBytes(replica, context)
  // As many lanes as stages are under way, and a stage reads its weights for each of them.
  const lanes = Math.min(layout.pipeline, Math.max(1, load.decoding))
  return (lanes * (read(perLane) + cache)) / step.time(decodeWork(perLane, context)) / machine.bandwidth
}

function memoryShare({ replica, memory }: PreparedReplica, { role, input, output, requests_per_s, decoding }: ReplicaLoad): number {
  const { layout, machine } = replica
  const held = role === 'prefill' ? Math.min(layout.data, requests_per_s) * input : decoding * (input + output / 2)
  const cache = Math.min(memory.cache_bytes, (held / layout.data) * memory.token_bytes)
  return (memory.weights_bytes + memory.working_bytes + cache) / machine.memory_bytes
}

/** Of its own steps, the part that exchanges take. */
function exchangeShare({ replica: { layout }, step }: PreparedReplica, { role, input, output, cached, decoding }: ReplicaLoad): number {
  const work =
    role === 'prefill' ? prefillWork(input, layout.data, cached) : decodeWork(Math.max(1, decoding / layout.pipeline), input + output / 2)
  const { exchange, total } = step.explained(work)
  return exchange / total
}
