// How full a replica keeps each resource of its devices when it takes the requests that it was sized for.

import type { Capacity, ServingPool } from '@ironlaw/contracts'
import { type Architecture, expectedExperts, flopTotals, type Moe, operatorList, parameterCounts } from '@ironlaw/models'
import { capacityOf } from '../capacity.ts'
import { adaptersInStep } from './adapters.ts'
import type { CacheTiers } from './cache-tiers.ts'
import { devicesOf } from './layout.ts'
import { adapterBytes, draftWeights, sequenceBytes } from './memory.ts'
import type { WeightFormat } from './precision.ts'
import type { PreparedReplica } from './prepared-replica.ts'
import type { ReplicaDesign } from './replica-design.ts'
import { draftReplica } from './speculation.ts'
import { decodeWork, type Lengths, prefillWork } from './steady-state.ts'
import { peakBehind } from './token-time.ts'
import { spansNodes, transferLimit } from './transfer.ts'

/** What a replica does at its limit. */
export type ReplicaLoad = Lengths & {
  readonly role: ServingPool['role']
  readonly cached: number
  readonly requests_per_s: number
  readonly decoding: number
  readonly tiers?: CacheTiers
}

export function servingCapacities(prepared: PreparedReplica, load: ReplicaLoad): readonly Capacity[] {
  const { replica } = prepared
  const { machine, layout } = replica
  const { fabric } = machine
  const peak = fastestPeak(prepared)
  const flops = load.requests_per_s * requestFlops(prepared, load)
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
    ...hostCapacities(prepared, load),
  ]
}

/** Of the host, where keys and values are kept there. */
function hostCapacities({ replica }: PreparedReplica, { tiers, requests_per_s }: ReplicaLoad): readonly Capacity[] {
  const { offload, layout, machine } = replica
  if (!offload || !tiers) return []
  const { linkBandwidth, driveRead, driveWrite, memory } = machine.host
  const each = requests_per_s / layout.data
  return [
    capacityOf('host link', (each * Math.max(tiers.read_bytes, tiers.written_bytes)) / linkBandwidth, linkBandwidth),
    ...(memory === undefined ? [] : [capacityOf('host memory', offload.host_bytes / memory, memory)]),
    ...(offload.drive_bytes > 0
      ? [capacityOf('drive', each * Math.max(tiers.drive_bytes / driveRead, tiers.written_bytes / driveWrite), driveRead)]
      : []),
  ]
}

/** Of the arithmetic in use: weights of four bits are widened to sixteen where the device multiplies none. */
const fastestPeak = ({ replica }: PreparedReplica): number => {
  const { precision } = replica
  const kinds: readonly WeightFormat[] = [precision.attention, precision.dense, precision.experts]
  return Math.max(...kinds.map((kept) => peakBehind(replica, kept)))
}

const PRECISION = { weight: 2, activation: 2, cache: 2 }

/** Arithmetic of one request on this replica: its prompt, beyond what is cached, and its tokens with all that were checked for them. */
function requestFlops({ replica, step }: PreparedReplica, load: ReplicaLoad): number {
  const { role, input, output, cached } = load
  const { architecture, speculation } = replica
  const drafted = speculation?.drafted ?? 0
  const draft = draftReplica(replica)?.architecture
  const fresh = input * (1 - cached)
  const context = Math.round(input + output / 2)
  const own = { prompt: promptFlops(architecture, input, fresh), token: passFlops(architecture, 1, { context, latent: 'absorbed' }) }
  const drafting = draft && { prompt: promptFlops(draft, input, fresh), token: passFlops(draft, 1, { context, latent: 'absorbed' }) }
  const head = headFlops(architecture)
  const proposed = drafting
    ? drafting.token + headFlops(draft)
    : speculation?.method === 'mtp'
      ? own.token / architecture.layout.length + head
      : 0
  // The prompt's pass brings the first token.
  const steps = (role === 'decode' ? output : output - 1) / step.gain
  return (
    (role === 'decode' ? 0 : own.prompt + head + (drafting?.prompt ?? 0)) +
    (role === 'prefill' ? 0 : steps * ((1 + drafted) * (own.token + head) + drafted * proposed))
  )
}

const headFlops = ({ width, vocabulary }: Architecture): number => 2 * width * vocabulary

function promptFlops(architecture: Architecture, input: number, fresh: number): number {
  const whole = Math.max(1, Math.ceil(fresh))
  return (fresh / whole) * passFlops(architecture, whole, { context: Math.floor(input - fresh), latent: 'expanded' })
}

const passFlops = (
  architecture: Architecture,
  tokens: number,
  over: { readonly context: number; readonly latent: 'expanded' | 'absorbed' },
): number =>
  flopTotals(operatorList(architecture, { batch: 1, tokens, ...over, precision: PRECISION }).filter(({ stack }) => stack === 'decoder'))
    .forward

/** Sequences of one lane, of which as many as stages are under way. */
const perLane = ({ replica: { layout } }: PreparedReplica, { decoding }: ReplicaLoad): number => Math.max(1, decoding / layout.pipeline)

/**
 * How the time of a replica is divided: passes over prompts a second, one prompt on each copy of the attention, and decoding steps a second. A
 * replica for everything decodes as often as its tokens need; between its prompts, since a step that does both reads weights once.
 */
function passesOf(prepared: PreparedReplica, load: ReplicaLoad): { readonly prompts: number; readonly steps: number } {
  const { replica, step } = prepared
  const { layout } = replica
  const { role, requests_per_s, output } = load
  const prompts = role === 'decode' ? 0 : requests_per_s / layout.data
  if (role === 'prefill') return { prompts, steps: 0 }
  const sequences = perLane(prepared, load)
  const needed = (requests_per_s * (role === 'decode' ? output : Math.max(0, output - 1))) / step.gain / sequences
  return { prompts, steps: needed }
}

/** Prompts of one copy that share a pass: short ones that come together do. */
export const promptsTogether = (
  { replica: { runtime } }: PreparedReplica,
  { input, cached }: Pick<ReplicaLoad, 'input' | 'cached'>,
): number => Math.max(1, runtime.tokensPerStep / Math.max(1, input * (1 - cached)))

/** Bytes of the adapters on a device that a step with so many tokens does not read. */
const unusedAdapters = (replica: ReplicaDesign, tokens: number): number =>
  replica.adapters ? (adaptersInStep(replica.adapters, Infinity) - adaptersInStep(replica.adapters, tokens)) * adapterBytes(replica) : 0

/** Weights and cache read by every decoding step, and weights by every pass over prompts. */
function bandwidthShare(prepared: PreparedReplica, load: ReplicaLoad): number {
  const { replica, memory } = prepared
  const { layout, machine, architecture, precision, speculation, runtime } = replica
  const moe = architecture.groups.flatMap(({ layers }) => layers).find((layer): layer is Moe => layer.kind === 'moe')
  const experts = parameterCounts(architecture).byPart.experts ?? 0
  const drafts = draftWeights(replica)
  const read = (tokens: number): number =>
    memory.weights_bytes -
    drafts -
    (moe ? (experts * precision.experts.bytes * (1 - expectedExperts(moe, tokens) / moe.experts)) / devicesOf(layout) : 0) -
    unusedAdapters(replica, tokens)
  const { prompts, steps } = passesOf(prepared, load)
  const sequences = perLane(prepared, load)
  const drafted = speculation?.drafted ?? 0
  const cache = (sequences / layout.data) * sequenceBytes(replica, load.input + load.output / 2)
  const fresh = load.input * (1 - load.cached)
  // Prompts beside decoding share the weights of its step.
  const prompted =
    load.role === 'all' && runtime.mixed ? 0 : (prompts / promptsTogether(prepared, load)) * (read(fresh * layout.data) + drafts)
  return (prompted + steps * (read(sequences * (1 + drafted)) + drafted * drafts + cache)) / machine.bandwidth
}

function memoryShare({ replica, memory }: PreparedReplica, { role, input, output, requests_per_s, decoding }: ReplicaLoad): number {
  const { layout, machine } = replica
  const held = role === 'prefill' ? Math.min(layout.data, requests_per_s) * input : decoding * (input + output / 2)
  const cache = Math.min(memory.cache_bytes, (held / layout.data) * memory.token_bytes)
  return (memory.weights_bytes + memory.working_bytes + cache) / machine.memory_bytes
}

/** Of all its time, the part that exchanges take: those of decoding steps, and what tokens of prompts add. */
function exchangeShare(prepared: PreparedReplica, load: ReplicaLoad): number {
  const { replica, step } = prepared
  const { input, output, cached } = load
  const { prompts, steps } = passesOf(prepared, load)
  const decoded = steps > 0 ? step.explained(decodeWork(perLane(prepared, load), input + output / 2)).exchange : 0
  const together = promptsTogether(prepared, load)
  const prompted = prompts > 0 ? step.explained(prefillWork(input, together * replica.layout.data, cached)).exchange / together : 0
  return (prompts * prompted + steps * decoded) / replica.layout.pipeline
}
