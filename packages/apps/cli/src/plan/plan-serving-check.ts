// Compares a plan with a quick simulation of itself. The planner's closed form assumes that prompts and answers have the average length;
// real requests vary, and the long ones determine the percentiles.

import type { Catalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { plannedTraffic, simulateServing } from '@ironlaw/simulator/serving'
import { seconds, show, showPercent } from '@ironlaw/units'
import type { ServingRequest } from './serve-source.ts'
import { prefillOf, replicaRule, simulatedTraffic, withSequenceLimit } from '../simulate/simulate-serve-replica.ts'

/** About a quarter of a second. With this many the p90 varies by some 4 % from seed to seed. */
const DRAW = { count: 6000, seed: 1 } as const
/** A smaller excess over an objective may be noise. */
const TOLERANCE = 1.05

type SimulatedLatency = { readonly ttft_s: number; readonly tpot_s: number; readonly attained: number }

/** At the percentile of the objectives, with all replicas of the plan, and with only those that the peak needs. */
export type PlanCheck = {
  readonly requests: number
  readonly whole: SimulatedLatency
  readonly withoutSpares: SimulatedLatency
  /** Requests that the gateway sends to one replica at once, if that is fewer than planned. */
  readonly max_running?: number
}

export function checkPlan(catalog: Catalog, { spec, wanted }: ServingRequest, plan: ServingPlan): PlanCheck | undefined {
  const main = plan.pools.find(({ role }) => role !== 'prefill')
  const first = plan.pools.find(({ role }) => role === 'prefill')
  if (!main) return undefined
  const { objectives, spare } = plan
  const { prefix } = plannedTraffic(simulatedTraffic(plan), DRAW)
  const deployment = { ...plan, model: wanted.model, architecture: wanted.architecture }
  const most = spec.deploy?.max_running
  const replica = withSequenceLimit(most, replicaRule(catalog, { deployment, pool: main, prefixTokens: prefix?.tokens }).replica)
  const simulatedLatency = (fewer: number): SimulatedLatency => {
    const remainingPool = (pool: ServingPlan['pools'][number]) => ({ ...pool, replicas: Math.max(1, pool.replicas - fewer) })
    const { arrivals } = plannedTraffic(simulatedTraffic(plan), DRAW)
    const prefill = first && prefillOf(catalog, { deployment, pool: remainingPool(first), prefixTokens: prefix?.tokens })
    const { replicas } = remainingPool(main)
    const rule = { replica, replicas, router: 'two-choices' as const, objectives, ...(prefill && { prefill }) }
    const { ttft_s, tpot_s, attained } = simulateServing(rule, arrivals, {
      seed: DRAW.seed,
      ...(prefix && { hashes: prefix.hashes }),
    })
    return { ttft_s: ttft_s[objectives.percentile], tpot_s: tpot_s[objectives.percentile], attained }
  }
  const whole = simulatedLatency(0)
  return {
    requests: DRAW.count,
    whole,
    withoutSpares: spare === 0 ? whole : simulatedLatency(spare),
    ...(most !== undefined && most < plan.prediction.decoding && { max_running: most }),
  }
}

/** One sentence if the simulation misses an objective that the plan meets. */
export function contradiction(
  { whole, withoutSpares, max_running }: PlanCheck,
  { objectives, prediction, spare }: ServingPlan,
): string | undefined {
  const { percentile } = objectives
  const violatedObjectives = (felt: SimulatedLatency): readonly string[] => [
    ...(felt.ttft_s > TOLERANCE * objectives.ttft_s
      ? [`${showTime(felt.ttft_s)} to the first token (planned ${showTime(prediction.ttft_s)})`]
      : []),
    ...(felt.tpot_s > TOLERANCE * objectives.tpot_s
      ? [`${showTime(felt.tpot_s)} for each further (planned ${showTime(prediction.tpot_s)})`]
      : []),
  ]
  const [all, fewer] = [violatedObjectives(whole), violatedObjectives(withoutSpares)]
  const felt = all.length > 0 ? whole : withoutSpares
  const which = all.length > 0 ? all : fewer
  if (which.length === 0) return undefined
  const when = all.length > 0 ? '' : spare === 1 ? 'without the spare replica ' : `without the ${spare} spare replicas `
  const limit =
    max_running === undefined
      ? ''
      : ` A replica was planned with ${prediction.decoding.toFixed(0)} requests at once, but deploy.max_running allows only ${max_running}.`
  const within = `${showPercent(felt.attained, 0)} of requests within both objectives`
  return `A simulation contradicts this plan: ${when}${percentile} is ${which.join(' and ')}; ${within}. The plan assumes equal lengths; the simulation varies them by as much as their mean.${limit} "ironlaw simulate serve" shows more.`
}

const showTime = (value: number): string => show(seconds(value), 's')
