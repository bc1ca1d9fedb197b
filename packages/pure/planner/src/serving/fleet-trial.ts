// The chance that a fleet of replicas holds the objectives. Two things stand against it: requests differ in length and come at random, which a
// simulation with the plan's own traffic shows; and the prediction of a step may be off, by the spread that its interval states. So the fleet is
// simulated as predicted and with steps as slow as one prediction in ten is off, and the chance is read off between the two.

import { lengthAt, type ServingPlan } from '@ironlaw/contracts'
import { normalQuantile } from '@ironlaw/laws/normal'
import { type ClusterRule, sharedPrefix } from '@ironlaw/simulator/serving'
import { overfilled } from '../capacity.ts'
import { chanceOf, chanceOfBoth, type Headroom } from './chance.ts'
import { aroundPrompt, servingSpread } from './interval.ts'
import type { PoolChoice } from './pool-choice.ts'
import { mostServed, poolCapacities } from './pool-load.ts'
import { cacheTransfer, replicaRule, slowedReplica } from './replica-rule.ts'
import { endless, simulatedLatency, type SimulatedLatency } from './simulated-latency.ts'
import { prefillWork } from './steady-state.ts'

export type FleetLoad = { readonly traffic: ServingPlan['traffic']; readonly objectives: ServingPlan['objectives'] }

export type TrialSettings = {
  readonly maxRunning?: number | undefined
  readonly seed: number
  /** Standard errors by which percentiles are taken higher than simulated, so that another draw of the traffic holds as well. */
  readonly margin?: number
}

export type FleetTrial = {
  /** That both objectives hold. */
  readonly probability: number
  /** That each holds. */
  readonly chance: { readonly ttft: number; readonly tpot: number }
  readonly felt: SimulatedLatency
  /** A prompt as long as the percentile of the objectives, alone on the replica that takes it. */
  readonly prompt_s: number
}

/**
 * Replicas that serve, pool by pool, under so many requests a second. Of a fleet that does not hold, only that is worked out unless its figures
 * are wanted.
 */
export type TrialOf = (replicas: readonly number[], requests_per_s: number, wanted?: 'verdict' | 'figures') => FleetTrial

/** With this many, percentiles vary by some 5 % from seed to seed. */
const MEASURED = 2000
const MARGIN = 4
/** More replicas than these are simulated as a part of the fleet with its part of the traffic, and no more requests at once than that. */
const MOST_REPLICAS = 8
const MOST_IN_FLIGHT = 1500

const MOST_LOAD = 0.95

export const DEFAULT_PROBABILITY = 0.9

/** Standard deviations of its own error that a prediction is to stand. */
export const endured = ({ probability = DEFAULT_PROBABILITY }: ServingPlan['objectives']): number => normalQuantile(probability)

export function fleetTrials(parts: readonly PoolChoice[], load: FleetLoad, { maxRunning, seed, margin = MARGIN }: TrialSettings): TrialOf {
  const last = parts.at(-1)
  const first = parts[0]
  if (!first || !last) throw new Error('a deployment needs a pool')
  const { objectives } = load
  const { tiers } = last.capacity
  // What is found of prompts that come back is what the tiers hold.
  const traffic = { ...load.traffic, ...(tiers && { cachedPrompt: tiers.cached }) }
  const design = last.option.replica
  const spread = servingSpread(design, 'tpot_s')
  const prompt = Math.min(lengthAt(traffic.input_tokens, objectives.percentile), design.architecture.longestContext ?? Infinity)
  const prompt_s = first.option.step.time(prefillWork(prompt, 1, traffic.cachedPrompt))
  const slow_z = Math.max(1, endured(objectives))
  const prefixTokens = traffic.cachedPrompt > 0 ? sharedPrefix(traffic).tokens : undefined
  const rule = replicaRule(design, { prefixTokens, maxRunning, load_s: tiers?.load_s })
  const prompts = parts.length > 1 ? replicaRule(first.option.replica, { prefixTokens }) : undefined
  const transfer = cacheTransfer({ from: first.option.replica, to: design })
  const fleetOf = (replicas: readonly number[], factor: number): Pick<ClusterRule, 'replica' | 'replicas' | 'prefill'> => ({
    replica: slowedReplica(rule, factor),
    replicas: replicas.at(-1) ?? 1,
    ...(prompts && {
      prefill: { replica: { ...slowedReplica(prompts, factor), role: 'prefill' }, replicas: replicas[0] ?? 1, transfer },
    }),
  })
  // Little's law on what the closed form expects of a replica at its limit.
  const stay_s = last.capacity.decoding / last.capacity.requests_per_s + first.capacity.ttft_s
  const most_per_s = parts.map((part) => mostServed({ traffic }, part, part === last ? maxRunning : undefined))
  const overloaded = (at: number, { replicas, requests_per_s }: FleetRate): boolean =>
    requests_per_s > MOST_LOAD * (most_per_s[at] ?? 0) * (replicas[at] ?? 1)
  return (replicas, requests_per_s, wanted = 'verdict') => {
    const part = simulatedPart(replicas, { requests_per_s, stay_s })
    const simulate = (z: number): SimulatedLatency => {
      const factor = Math.exp(spread * z)
      const full = parts.map((_, at) => overloaded(at, { replicas, requests_per_s: factor * requests_per_s }))
      if (full.includes(true)) return endless({ ttft: full[0] === true, tpot: full.at(-1) === true })
      return simulatedLatency({
        fleet: fleetOf(part.replicas, factor),
        traffic: { ...traffic, requests_per_s: part.requests_per_s },
        objectives,
        inFlight: Math.min(MOST_IN_FLIGHT, part.requests_per_s * stay_s),
        measured: MEASURED,
        seed,
        longest: design.architecture.longestContext,
      })
    }
    const slowed = simulate(slow_z)
    // Late when slowed by what it is to stand, it is not likely enough, whatever is expected.
    const over = Math.max(upper(slowed.tpot, margin) / objectives.tpot_s, upper(slowed.ttft, margin) / objectives.ttft_s)
    const hopeless = wanted === 'verdict' && over > 1 && endured(objectives) >= slow_z
    const felt = hopeless ? slowed : simulate(0)
    const room = parts.map((each, at) => hasRoom(load, each, { replicas: replicas[at] ?? 1, requests_per_s, felt }))
    const held = (name: 'ttft' | 'tpot', errors: { readonly rest: number; readonly fits: boolean | undefined }): Headroom =>
      headroomOf(objectives[`${name}_s`], { felt: felt[name], slowed: slowed[name], slow_z, margin, ...errors })
    const rest = aroundPrompt({ prompt_s, ttft_s: felt.ttft.value })
    const [ttft, tpot] = [held('ttft', { rest, fits: room[0] }), held('tpot', { rest: 0, fits: room.at(-1) })]
    return { probability: chanceOfBoth(ttft, tpot), chance: { ttft: chanceOf(ttft), tpot: chanceOf(tpot) }, felt, prompt_s }
  }
}

type FleetRate = { readonly replicas: readonly number[]; readonly requests_per_s: number }

type CarriedPart = { readonly replicas: number; readonly requests_per_s: number; readonly felt: SimulatedLatency }

/** The times of steps and the account of bytes are two models: what a replica carries must fit both. */
function hasRoom(load: FleetLoad, part: PoolChoice, { replicas, requests_per_s, felt }: CarriedPart): boolean {
  const each = requests_per_s / replicas
  return overfilled(poolCapacities(load, part, { requests_per_s: each, decoding: each * felt.decode_s })) === undefined
}

type HeadroomInputs = {
  readonly felt: SimulatedLatency['ttft']
  readonly slowed: SimulatedLatency['ttft']
  readonly slow_z: number
  readonly rest: number
  readonly margin: number
  /** Whether its pool has room for what it carries. */
  readonly fits: boolean | undefined
}

/** Of a fleet that keeps up only as predicted. */
const STEEPEST = 1e6

const upper = ({ value, error }: SimulatedLatency['ttft'], margin: number): number => value * (1 + margin * error)

/** The logarithm of a latency is taken as straight between the two simulations, and beyond. */
function headroomOf(objective: number, { felt, slowed, slow_z, rest, margin, fits }: HeadroomInputs): Headroom {
  const expected = upper(felt, margin)
  if (!fits || !Number.isFinite(expected)) return { room: -Infinity, slope: 0, rest }
  if (expected === 0) return { room: Infinity, slope: 0, rest }
  const slope = Math.log(Math.max(upper(slowed, margin), expected) / expected) / slow_z
  return { room: Math.log(objective / expected), slope: Math.min(STEEPEST, slope), rest }
}

type TrialLoad = { readonly requests_per_s: number; readonly stay_s: number }

/** Large fleets behave like their part: of each pool at least one replica is left, and none has less to do than in the whole. */
function simulatedPart(
  replicas: readonly number[],
  { requests_per_s, stay_s }: TrialLoad,
): { readonly replicas: readonly number[]; readonly requests_per_s: number } {
  const most = Math.max(...replicas)
  const perReplica = (requests_per_s * stay_s) / most
  const kept = Math.min(MOST_REPLICAS, Math.max(2, Math.floor(MOST_IN_FLIGHT / Math.max(1, perReplica))))
  const share = Math.max(kept / most, 1 / Math.min(...replicas))
  if (share >= 1) return { replicas, requests_per_s }
  const fewer = replicas.map((count) => Math.max(1, Math.round(count * share)))
  return { replicas: fewer, requests_per_s: requests_per_s * Math.max(...fewer.map((count, at) => count / (replicas[at] ?? 1))) }
}
