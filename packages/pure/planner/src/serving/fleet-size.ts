// The smallest fleet that holds the objectives with the probability asked for, by simulation.

import { DEFAULT_PROBABILITY, type FleetLoad, type FleetTrial, type TrialOf } from './fleet-trial.ts'
import { seconds, show, showPercent } from '@ironlaw/units'
import type { PoolChoice } from './pool-choice.ts'

/** Replicas that serve, pool by pool, spares apart. */
export type FleetSize = {
  readonly ok: true
  readonly replicas: readonly number[]
  readonly trial: FleetTrial
  /** Of one pool: the most replicas that do not suffice, where they were tried. */
  readonly tooFew?: number
}

export type UnmetFleet = { readonly ok: false; readonly reason: string; readonly probability: number }

const MOST_TRIALS = 10

/** By the closed form. */
export const suggestedSize = (parts: readonly PoolChoice[], { traffic }: Pick<FleetLoad, 'traffic'>): readonly number[] =>
  parts.map(({ capacity }) => Math.ceil(traffic.requests_per_s / capacity.requests_per_s))

/** From the size that the closed form suggests, up or down. */
export function fleetSize(parts: readonly PoolChoice[], load: FleetLoad, trialOf: TrialOf): FleetSize | UnmetFleet {
  const wanted = load.objectives.probability ?? DEFAULT_PROBABILITY
  const { requests_per_s } = load.traffic
  const suggested = suggestedSize(parts, load)
  const trial = trialOf(suggested, requests_per_s)
  if (trial.probability < wanted) {
    const idle = trialOf(
      suggested.map(() => 1),
      IDLE / stayOf(parts),
      'figures',
    )
    if (idle.probability < wanted) return { ok: false, reason: idleText(load, idle), probability: idle.probability }
  }
  const found =
    parts.length === 1
      ? fewestReplicas(suggested[0] ?? 1, { wanted, trial, trialOf: (replicas) => trialOf([replicas], requests_per_s) })
      : fewestOfPools(suggested, { wanted, trial, trialOf: (replicas) => trialOf(replicas, requests_per_s) })
  if (found.ok) return found
  const { probability } = trialOf(found.most, requests_per_s, 'figures')
  return { ok: false, reason: shortText(found.most, probability), probability }
}

const MOST_CONFIRMATIONS = 4

type Trials = {
  /** As it was sized. */
  readonly trialOf: TrialOf
  /** Each with traffic of another seed. */
  readonly others: readonly TrialOf[]
}

/** Near the limit one draw of the traffic may be kinder than the next: a fleet holds for others, too, or grows a little. */
export function confirmedSize(found: FleetSize, { objectives, traffic }: FleetLoad, { trialOf, others }: Trials): FleetSize {
  const wanted = objectives.probability ?? DEFAULT_PROBABILITY
  let size = found
  for (let round = 0; round < MOST_CONFIRMATIONS; round += 1) {
    const { replicas: tried } = size
    if (others.every((otherOf) => otherOf(tried, traffic.requests_per_s).probability >= wanted)) break
    const replicas = tried.map((count) => count + Math.max(1, Math.round(count / GROWTH)))
    size = { ok: true, replicas, trial: trialOf(replicas, traffic.requests_per_s, 'figures') }
  }
  return size
}

const GROWTH = 20

/** The largest fleet that was tried. */
type TooSmall = { readonly ok: false; readonly most: readonly number[] }

/** Requests at once, on average: hardly ever two. */
const IDLE = 0.02

/** Seconds that a request stays, as the closed form has it. */
const stayOf = (parts: readonly PoolChoice[]): number =>
  parts.reduce((sum, { capacity }) => sum + capacity.ttft_s + capacity.decoding / capacity.requests_per_s, 0)

function idleText({ objectives }: FleetLoad, { felt, probability }: FleetTrial): string {
  const time = (value: number): string => show(seconds(value), 's')
  const figures = `${objectives.percentile} TTFT is ${time(felt.ttft.value)} and TPOT ${time(felt.tpot.value)}`
  return `even when idle, ${figures}, which holds the objectives with ${showPercent(probability, 1)} probability`
}

type Search<Size> = { readonly wanted: number; readonly trial: FleetTrial; readonly trialOf: (size: Size) => FleetTrial }

function fewestReplicas(suggested: number, { wanted, trial: atFirst, trialOf }: Search<number>): FleetSize | TooSmall {
  let tooFew = 0
  let enough: { readonly replicas: number; readonly trial: FleetTrial } | undefined
  let replicas = suggested
  let trial = atFirst
  let step = Math.max(1, Math.round(suggested / 6))
  for (let trials = 1; ; trials += 1) {
    if (trial.probability >= wanted) enough = { replicas, trial }
    else tooFew = replicas
    const next = enough
      ? Math.max(tooFew + 1, tooFew > 0 ? Math.floor((tooFew + enough.replicas) / 2) : enough.replicas - step)
      : replicas + step
    if (enough && (next >= enough.replicas || trials === MOST_TRIALS))
      return { ok: true, replicas: [enough.replicas], trial: enough.trial, ...(tooFew > 0 && { tooFew }) }
    if (trials === MOST_TRIALS) return { ok: false, most: [replicas] }
    step *= 2
    replicas = next
    trial = trialOf(replicas)
  }
}

/** Prompts make the first token, decoding the others: the pool that falls short grows. */
function fewestOfPools(suggested: readonly number[], { wanted, trial: atFirst, trialOf }: Search<readonly number[]>): FleetSize | TooSmall {
  let replicas = suggested
  let trial = atFirst
  for (let trials = 1; trial.probability < wanted; trials += 1) {
    if (trials === MOST_TRIALS) return { ok: false, most: replicas }
    const [prompts = 1, tokens = 1] = replicas
    const { ttft, tpot } = trial.chance
    const isShort = (chance: number): boolean => chance < wanted || chance === Math.min(ttft, tpot)
    const grown = (count: number): number => count + Math.max(1, Math.round(count / 4))
    replicas = [isShort(ttft) ? grown(prompts) : prompts, isShort(tpot) ? grown(tokens) : tokens]
    trial = trialOf(replicas)
  }
  return { ok: true, replicas, trial }
}

function shortText(replicas: readonly number[], probability: number): string {
  const many = replicas.join(' + ')
  return `${many} ${many === '1' ? 'replica holds' : 'replicas hold'} the objectives with no more than ${showPercent(probability, 1)} probability`
}
