// A day of the planned deployment: replicas by the hour under autoscaling, compared with as many as the peak needs all day.

import { LENGTH_VARIATION, quantityOf } from '@ironlaw/contracts'
import type { Catalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { DEFAULT_SCALING } from '@ironlaw/contracts/deployment-api'
import {
  type Arrivals,
  type DaySchedule,
  daySchedule,
  type FittedTraffic,
  logNormalLength,
  RandomStream,
  sharedPrefix,
  syntheticArrivals,
  tracedArrivals,
} from '@ironlaw/simulator/serving'
import { showPercent } from '@ironlaw/units'
import type { ServingRequest } from './serve-source.ts'
import { table } from '../table.ts'
import { poolRule, readTrace, simulatedTraffic } from '../simulate/simulate-serve-replica.ts'

const PAIRS = 10_000
const HOUR_S = 3600
const WINDOW_S = 300
const LOOK_S = 10
/** A few seconds of simulation for each of the two schedules; heavier traffic is simulated as a slice with its share of the replicas. */
const MOST_REQUESTS = 1_000_000
/** With fewer, one replica is too large a step to judge the scaling by. */
const LEAST_REPLICAS = 8
const SEED = 1

export type PlannedDay = Omit<DaySchedule, 'hours'> & {
  /** Share of traffic and replicas that was simulated; the figures are for the whole. */
  readonly slice: number
  readonly hours: readonly { readonly hour: number; readonly requests_per_s: number; readonly replicas: number; readonly most: number }[]
  /** Share of replica hours that scaling saves. */
  readonly saved: number
}

type DayTraffic = {
  readonly arrivals: () => Arrivals
  readonly slice: number
  readonly prefixTokens?: number
  readonly hashes?: Int32Array
}

/** Undefined if the spec describes no day, or the plan serves prompts on separate replicas. */
export function plannedDay(catalog: Catalog, serving: ServingRequest, plan: ServingPlan): PlannedDay | undefined {
  const { spec, wanted } = serving
  const [pool, ...others] = plan.pools
  const day = dayTraffic(serving, plan)
  if (!pool || others.length > 0 || !day) return undefined
  const { slice, arrivals, prefixTokens, hashes } = day
  const deployment = { ...plan, model: wanted.model, architecture: wanted.architecture }
  const replica = poolRule(catalog, { deployment, pool, prefixTokens, maxRunning: wanted.maxRunning })
  const replicas = Math.round(peakReplicas(plan) * slice)
  const { traffic, objectives, prediction } = plan
  const rule = {
    min: 1,
    max: replicas,
    tokensPerSecond: prediction.replica_requests_per_s * (traffic.input_tokens + traffic.output_tokens),
    covered: DEFAULT_SCALING.covered,
    coldStart_s: quantityOf(spec.coldStart, 's'),
    drain_s: DEFAULT_SCALING.drain_s,
    downAfter_s: DEFAULT_SCALING.down_after_s,
    idle_s: Infinity,
  }
  const autoscale = { every_s: LOOK_S, rule }
  const { hours, held, scaled } = daySchedule({ replica, replicas, router: 'two-choices', objectives, autoscale }, arrivals, {
    seed: SEED,
    ...(hashes && { hashes }),
  })
  const scaledToFleet = ({ replica_h, attained }: DaySchedule['held']): DaySchedule['held'] => ({ replica_h: replica_h / slice, attained })
  return {
    slice,
    hours: hours.map(({ requests, replicas: mean, most }, hour) => ({
      hour,
      requests_per_s: requests / HOUR_S / slice,
      replicas: mean / slice,
      most: Math.ceil(most / slice),
    })),
    held: scaledToFleet(held),
    scaled: scaledToFleet(scaled),
    saved: 1 - scaled.replica_h / held.replica_h,
  }
}

/** Replicas that the peak needs, without spares. */
const peakReplicas = ({ pools, spare }: ServingPlan): number => Math.max(1, (pools[0]?.replicas ?? 0) - spare)

function dayTraffic({ spec }: ServingRequest, plan: ServingPlan): DayTraffic | undefined {
  const { daily, trace: path } = spec.traffic
  if (path !== undefined) {
    const trace = readTrace(path)
    return { arrivals: () => tracedArrivals(trace), slice: 1, prefixTokens: trace.hashTokens, hashes: trace.hashes }
  }
  if (daily === undefined) return undefined
  const traffic = simulatedTraffic(plan)
  const fitted = smoothDay(daily, traffic)
  const requests = fitted.rates.reduce((sum, rate) => sum + rate * WINDOW_S, 0)
  const peak = peakReplicas(plan)
  const slice = Math.min(peak, Math.max(LEAST_REPLICAS, Math.round((peak * MOST_REQUESTS) / requests))) / peak
  const prefix = traffic.cachedPrompt > 0 ? sharedPrefix(traffic) : undefined
  const arrivals = (): Arrivals => {
    const next = syntheticArrivals(fitted, { count: Infinity, seed: SEED, scale: slice })
    const ofDay: Arrivals = (into) => next(into) && into.at < daily.length * HOUR_S
    return prefix?.of(ofDay) ?? ofDay
  }
  return { arrivals, slice, ...(prefix && { prefixTokens: prefix.tokens, hashes: prefix.hashes }) }
}

/** Interpolated linearly between the middles of the hours: real traffic does not jump on the hour. */
function smoothDay(daily: readonly number[], { requests_per_s, input_tokens, output_tokens }: ServingPlan['traffic']): FittedTraffic {
  const random = new RandomStream([SEED])
  const sample = (mean: number): Int32Array => {
    const length = logNormalLength(mean, LENGTH_VARIATION)
    return Int32Array.from({ length: PAIRS }, () => length(random))
  }
  const share = (hour: number): number => daily[(hour + daily.length) % daily.length] ?? 0
  const rates = Float64Array.from({ length: (daily.length * HOUR_S) / WINDOW_S }, (_, window) => {
    const at = ((window + 0.5) * WINDOW_S) / HOUR_S - 0.5
    const before = Math.floor(at)
    return requests_per_s * (share(before) + (at - before) * (share(before + 1) - share(before)))
  })
  return { window_s: WINDOW_S, rates, burstiness: 1, prompt: sample(input_tokens), output: sample(output_tokens) }
}

export function dayText({ hours, held, scaled, saved, slice }: PlannedDay): string {
  const scheduleText = ({ replica_h, attained }: PlannedDay['held']): string =>
    `${replica_h.toFixed(0)} replica hours, ${showPercent(attained)} of requests within both objectives`
  return [
    table(
      ['hour', 'requests/s', 'replicas', 'most'],
      hours.map(({ hour, requests_per_s, replicas, most }) => [String(hour), requests_per_s.toFixed(1), replicas.toFixed(1), String(most)]),
      [0, 1, 2, 3],
    ),
    '',
    `Sized for the peak, without spares: ${scheduleText(held)}.`,
    `Autoscaled: ${scheduleText(scaled)}; ${showPercent(saved, 0)} of replica hours saved.`,
    ...(slice < 1 ? [`Simulated on ${(100 * slice).toPrecision(2)} % of traffic and replicas.`] : []),
  ].join('\n')
}
