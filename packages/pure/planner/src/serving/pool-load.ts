// What the replicas of one pool carry: the lengths of requests, how full that keeps their devices, and the rate at which they keep up no longer.

import type { Capacity, ServingPlan } from '@ironlaw/contracts'
import { promptsTogether, servingCapacities } from './capacities.ts'
import type { PoolChoice } from './pool-choice.ts'
import { prefillWork, steadyState } from './steady-state.ts'

type PlannedFor = { readonly traffic: ServingPlan['traffic'] }

export const lengthsOf = ({ traffic }: PlannedFor) => ({
  input: traffic.input_tokens,
  output: traffic.output_tokens,
  cached: traffic.cachedPrompt,
})

/** Of one replica. */
export type CarriedLoad = { readonly requests_per_s: number; readonly decoding: number }

/** With what is found of prompts that come back, where they are kept outside the device too. */
export function poolCapacities(wanted: PlannedFor, { role, option, capacity }: PoolChoice, carried: CarriedLoad): readonly Capacity[] {
  const { tiers } = capacity
  return servingCapacities(option, { role, ...lengthsOf(wanted), ...(tiers && { cached: tiers.cached, tiers }), ...carried })
}

/** Enough to fill any replica. */
const FLOOD = 100_000

/**
 * Requests a second at which prompts queue without end, of which a simulation, being short, may show little. Decoding
 * that falls behind shows in the times of tokens at once.
 */
export function mostServed(wanted: PlannedFor, { role, option, capacity }: PoolChoice, maxRunning = FLOOD): number {
  const { replica, step } = option
  const { layout } = replica
  const { input, output, cached: asked } = lengthsOf(wanted)
  const cached = capacity.tiers?.cached ?? asked
  if (role === 'decode') return Infinity
  if (role === 'all') return steadyState(option, { input, output, cached, concurrency: maxRunning }).requests_per_s
  const together = promptsTogether(option, { input, cached }) * layout.data
  return (layout.pipeline * together) / step.time(prefillWork(input, together, cached))
}
