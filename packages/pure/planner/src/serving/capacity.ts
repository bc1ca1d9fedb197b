// How many requests a second one replica takes within the objectives: the largest rate whose percentiles still hold.

import type { ServingPlan } from '@ironlaw/contracts'
import { overfilled } from '../capacity.ts'
import { servingCapacities } from './capacities.ts'
import { portLeft, transferLimit } from './transfer.ts'
import { requestsHeld, type ServingMemory } from './memory.ts'
import { type CacheTiers, cacheTiers } from './cache-tiers.ts'
import { type OpenLoad, openState, type OpenState, type Percentiles, waitQuantile } from './open-state.ts'
import type { PreparedReplica } from './prepared-replica.ts'
import { requestTime } from './request-time.ts'
import { decodeWork, type Lengths, prefillWork, steadyState } from './steady-state.ts'

type Objectives = ServingPlan['objectives']

export type Capacity =
  | {
      readonly ok: true
      readonly requests_per_s: number
      readonly ttft_s: number
      readonly tpot_s: number
      readonly decoding: number
      readonly binding: ServingPlan['prediction']['binding']
      /** Where prompts that come back are found, if they are kept outside the device too. */
      readonly tiers?: CacheTiers
    }
  | Unserved

/** No rate is served: it does not fit, or one objective is missed by a replica with nothing else to do. */
export type Unserved = { readonly ok: false; readonly reason: string } | { readonly ok: false; readonly missed: Missed }

/** What takes longer than it may, inside the engine. */
type Missed = { readonly objective: 'ttft' | 'tpot'; readonly takes_s: number }

export type CapacityRequest = Lengths & { readonly cached: number; readonly objectives: Objectives }

const ROUNDS = 18
/** A queue at its limit has no answer to a burst. */
const MOST_LOAD = 0.95

/** Prompts and decoding on the same replica. */
export function sharedCapacity(option: PreparedReplica, asked: CapacityRequest): Capacity {
  const { replica, memory } = option
  const { input, output, cached, objectives } = asked
  const small = memoryProblem(memory, input + output)
  if (small !== undefined) return { ok: false, reason: small }
  const at = (requests_per_s: number): TieredState => tieredState(option, { input, output, cached, requests_per_s })
  const idle = at(1e-6)
  const missed = unmetObjective(idle, objectives)
  if (missed !== undefined) return { ok: false, missed }
  const room = Math.min(requestsHeld(memory, input + output / 2), replica.runtime.sequencesMost * replica.layout.data)
  const served = steadyState(option, { input, output, cached, concurrency: Math.max(1, room) }).requests_per_s
  const most = MOST_LOAD * served
  // How much is read from host and drive grows with the rate, and with it what they can pass.
  const holds = (rate: number): boolean => {
    const state = at(rate)
    return rate <= MOST_LOAD * (state.tiers?.limit_per_s ?? Infinity) && unmetObjective(state, objectives) === undefined
  }
  const { rate, state } = withinAccount(option, asked, { rate: largestHolding(most, holds), at })
  const next = at(Math.min(most, rate * 1.05))
  const binding = rate < most * 0.999 ? bindingOf(next, objectives) : state.decoding > 0.85 * room ? 'memory' : 'compute'
  return {
    ok: true,
    requests_per_s: rate,
    ttft_s: atPercentile(state.ttft_s, objectives),
    tpot_s: atPercentile(state.tpot_s, objectives),
    decoding: state.decoding,
    binding,
    ...(state.tiers && { tiers: state.tiers }),
  }
}

type RateSearch = { readonly rate: number; readonly at: (requests_per_s: number) => TieredState }

const ACCOUNT_ROUNDS = 24

/** The times of steps and the account of bytes are two models: the slower of the two holds. */
function withinAccount(
  option: PreparedReplica,
  asked: CapacityRequest,
  search: RateSearch,
): { readonly rate: number; readonly state: TieredState } {
  const { input, output } = asked
  let { rate } = search
  let state = search.at(rate)
  for (let round = 0; round < ACCOUNT_ROUNDS; round += 1) {
    const { decoding, tiers } = state
    const cached = tiers?.cached ?? asked.cached
    const load = { role: 'all', input, output, cached, requests_per_s: rate, decoding, ...(tiers && { tiers }) } as const
    const full = overfilled(servingCapacities(option, load))
    if (full === undefined) break
    // With fewer requests, fewer share a step, and weights are read nearly as often: strides grow.
    rate *= (0.99 / full.share) ** (round + 1)
    state = search.at(rate)
  }
  return { rate, state }
}

type TieredState = OpenState & { readonly tiers?: CacheTiers }

const TIER_ROUNDS = 3

/** What is found depends on how many decode, and they on what is found. */
function tieredState(option: PreparedReplica, load: OpenLoad & { readonly cached: number }): TieredState {
  let state = openState(option, load)
  let tiers: CacheTiers | undefined
  for (let round = 0; round < TIER_ROUNDS && option.replica.offload; round += 1) {
    tiers = cacheTiers(option, { ...load, decoding: state.decoding })
    state = openState(option, { ...load, cached: tiers?.cached ?? load.cached })
  }
  if (!tiers) return state
  const { mean, p50, p90, p99 } = state.ttft_s
  const { load_s } = tiers
  return { ...state, ttft_s: { mean: mean + load_s, p50: p50 + load_s, p90: p90 + load_s, p99: p99 + load_s }, tiers }
}

/** Prompts only: one after the other, so the wait is that of a queue with constant service. */
function prefillRate(option: PreparedReplica, asked: CapacityRequest, transfer_s: number): Capacity {
  const { replica, step, memory } = option
  const { input, cached, objectives } = asked
  const small = memoryProblem(memory, input)
  if (small !== undefined) return { ok: false, reason: small }
  // Every copy of the attention takes a prompt of its own, and all wait for each other.
  const work = prefillWork(input, replica.layout.data, cached)
  const service = step.time(work)
  const base = requestTime(replica) + transfer_s
  const at = (load: number): number => {
    const wait = (load * service) / (2 * (1 - load))
    const p = { mean: wait, p50: waitQuantile(load, wait, 0.5), p90: waitQuantile(load, wait, 0.9), p99: waitQuantile(load, wait, 0.99) }
    return base + service + p[objectives.percentile]
  }
  if (at(0) > objectives.ttft_s) return { ok: false, missed: { objective: 'ttft', takes_s: at(0) } }
  const load = largestHolding(MOST_LOAD, (share) => at(share) <= objectives.ttft_s)
  const lanes = replica.layout.pipeline * replica.layout.data
  const passed = MOST_LOAD * portLeft(option, work) * transferLimit(replica, input)
  const served = (load * lanes) / service
  return {
    ok: true,
    requests_per_s: Math.min(served, passed),
    ttft_s: at(load),
    tpot_s: 0,
    decoding: 0,
    binding: passed < served ? 'network' : load < MOST_LOAD * 0.999 ? 'ttft' : 'compute',
  }
}

/** Decoding only. */
function decodeRate(option: PreparedReplica, asked: CapacityRequest): Capacity {
  const { replica, step, memory } = option
  const { input, output, objectives } = asked
  const small = memoryProblem(memory, input + output)
  if (small !== undefined) return { ok: false, reason: small }
  const context = input + output / 2
  const lanes = replica.layout.pipeline
  const time = (sequences: number): number => step.time(decodeWork(Math.max(1, sequences / lanes), context)) / step.gain
  const room = Math.min(requestsHeld(memory, context), replica.runtime.sequencesMost * replica.layout.data)
  if (time(1) > objectives.tpot_s) return { ok: false, missed: { objective: 'tpot', takes_s: time(1) } }
  const z = { mean: 0, p50: 0, p90: 1.2816, p99: 2.3263 }[objectives.percentile]
  const decoding = largestHolding(room, (sequences) => time(Math.min(room, sequences + z * Math.sqrt(sequences))) <= objectives.tpot_s)
  const tpot = time(decoding)
  // Where ports bind, fewer decode, and exchanges of few tokens hold the ports no less.
  const left = Math.min(...[1, decoding].map((sequences) => portLeft(option, decodeWork(Math.max(1, sequences / lanes), context))))
  const passed = MOST_LOAD * left * transferLimit(replica, input)
  const decoded = decoding / (output * tpot)
  return {
    ok: true,
    requests_per_s: Math.min(decoded, passed),
    ttft_s: 0,
    tpot_s: time(Math.min(room, decoding + z * Math.sqrt(decoding))),
    decoding: decoding * Math.min(1, passed / decoded),
    binding: passed < decoded ? 'network' : decoding < room * 0.99 ? 'tpot' : 'memory',
  }
}

const atPercentile = (values: Percentiles, { percentile }: Objectives): number => values[percentile]

/** Of a queue that grows without end the first token takes forever. */
function unmetObjective({ saturated, ttft_s, tpot_s }: OpenState, objectives: Objectives): Missed | undefined {
  const first = saturated ? Infinity : atPercentile(ttft_s, objectives)
  if (first > objectives.ttft_s) return { objective: 'ttft', takes_s: first }
  const each = atPercentile(tpot_s, objectives)
  return each > objectives.tpot_s ? { objective: 'tpot', takes_s: each } : undefined
}

const bindingOf = ({ saturated, ttft_s }: OpenState, objectives: Objectives): 'ttft' | 'tpot' | 'compute' =>
  saturated ? 'compute' : atPercentile(ttft_s, objectives) > objectives.ttft_s ? 'ttft' : 'tpot'

function memoryProblem(memory: ServingMemory, tokens: number): string | undefined {
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
  if (memory.cache_bytes <= 0) return `weights of ${gigabytes(memory.weights_bytes)} a device leave no room for a cache`
  return requestsHeld(memory, tokens) < 1 ? `the cache of ${Math.floor(memory.tokens)} tokens holds no request of ${tokens}` : undefined
}

/** The largest value up to `most` for which a condition that only ever turns false still holds. */
function largestHolding(most: number, holds: (value: number) => boolean): number {
  if (holds(most)) return most
  let low = 0
  let high = most
  for (let round = 0; round < ROUNDS; round += 1) {
    const middle = (low + high) / 2
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}

/** Prompts alone. */
export const prefillCapacity = (option: PreparedReplica, asked: CapacityRequest, transfer_s: number): Capacity =>
  accounted(option, { ...asked, role: 'prefill' }, prefillRate(option, asked, transfer_s))

/** Decoding alone. */
export const decodeCapacity = (option: PreparedReplica, asked: CapacityRequest): Capacity =>
  accounted(option, { ...asked, role: 'decode' }, decodeRate(option, asked))

type RoleRequest = CapacityRequest & { readonly role: 'prefill' | 'decode' }

/** As many requests as the account of capacities has room for. */
function accounted(option: PreparedReplica, { role, input, output, cached }: RoleRequest, capacity: Capacity): Capacity {
  if (!capacity.ok || capacity.requests_per_s === 0) return capacity
  const { requests_per_s, decoding } = capacity
  const full = overfilled(servingCapacities(option, { role, input, output, cached, requests_per_s, decoding }))
  return full === undefined ? capacity : { ...capacity, requests_per_s: (0.99 * requests_per_s) / full.share }
}
