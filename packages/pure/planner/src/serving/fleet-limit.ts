// What a fleet takes beyond the traffic asked for: the largest rate at which it still holds the objectives, by simulation. The search starts
// where the closed form has it, which is seldom far off, goes on in strides that grow until it lies between two rates, and halves those.

import type { ServingPlan } from '@ironlaw/contracts'
import type { FleetSize } from './fleet-size.ts'
import { DEFAULT_PROBABILITY, type FleetLoad, type FleetTrial, type TrialOf } from './fleet-trial.ts'
import type { PoolChoice } from './pool-choice.ts'

export type FleetLimit = {
  readonly requests_per_s: number
  readonly trial: FleetTrial
  readonly binding: ServingPlan['prediction']['binding']
}

type SizedLoad = FleetLoad & {
  readonly size: FleetSize
  /** A plan beside the best is compared, not run: roughly is enough. */
  readonly roughly?: boolean
}

/** Percentiles vary by more from seed to seed. */
const CLOSE = 1.03
const STRIDE = 1.08
const MOST_ROUNDS = 8
const ROUGH_ROUNDS = 1

/** The most that the fleet takes within the objectives, with the same probability. */
export function fleetLimit(
  parts: readonly PoolChoice[],
  { traffic, objectives, size, roughly = false }: SizedLoad,
  trialOf: TrialOf,
): FleetLimit {
  const wanted = objectives.probability ?? DEFAULT_PROBABILITY
  let { trial } = size
  let low = 1
  // One replica fewer did not suffice: its load on each does not either.
  let high = size.tooFew === undefined ? Infinity : (size.replicas[0] ?? 1) / size.tooFew
  let next = expectedTimes(parts, { traffic, objectives, size })
  let stride = STRIDE
  const rounds = roughly ? ROUGH_ROUNDS : MOST_ROUNDS
  for (let round = 0; round < rounds && high > CLOSE * low; round += 1) {
    const isBetween = next > low * Math.sqrt(CLOSE) && next < high / Math.sqrt(CLOSE)
    const times = isBetween ? next : high < Infinity ? Math.sqrt(low * high) : low * stride
    const tried = trialOf(size.replicas, traffic.requests_per_s * times)
    if (tried.probability >= wanted) [low, trial, next] = [times, tried, times * stride]
    else [high, next] = [times, times / stride]
    stride *= stride
  }
  const closed = parts.at(-1)?.capacity.binding ?? 'compute'
  const binding = closed === 'ttft' || closed === 'tpot' ? (trial.chance.ttft <= trial.chance.tpot ? 'ttft' : 'tpot') : closed
  return { requests_per_s: low * traffic.requests_per_s, trial, binding }
}

/** Of the traffic asked for, by the closed form. */
const expectedTimes = (parts: readonly PoolChoice[], { traffic, size }: SizedLoad): number =>
  Math.min(...parts.map(({ capacity }, at) => (capacity.requests_per_s * (size.replicas[at] ?? 1)) / traffic.requests_per_s))
