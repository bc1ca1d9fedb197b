import { expect, test } from 'vitest'
import { fleetLimit } from './fleet-limit.ts'
import type { FleetLoad, FleetTrial, TrialOf } from './fleet-trial.ts'
import type { PoolChoice } from './pool-choice.ts'
import { preparedReplica } from './prepared-replica.ts'
import { replicaOf } from './test-replica.ts'

const option = preparedReplica(replicaOf())
const FELT = { ttft: { value: 0.1, error: 0 }, tpot: { value: 0.01, error: 0 }, attained: 1, decode_s: 1 }
const trialWith = (probability: number): FleetTrial => ({ probability, chance: { ttft: 1, tpot: probability }, felt: FELT, prompt_s: 0.05 })

const LOAD: FleetLoad = {
  traffic: { requests_per_s: 10, input_tokens: 1000, output_tokens: 100, cachedPrompt: 0 },
  objectives: { ttft_s: 1, tpot_s: 0.05, percentile: 'p90', probability: 0.9 },
}

type Found = { readonly requests_per_s: number; readonly trials: number }

/** Of a fleet that holds up to a rate, where the closed form expects another. */
function limitOf({ holds, expected, replicas, tooFew }: { holds: number; expected: number; replicas: number; tooFew?: number }): Found {
  const capacity = { ok: true, requests_per_s: expected / replicas, ttft_s: 0.1, tpot_s: 0.01, decoding: 10, binding: 'tpot' } as const
  const parts: readonly PoolChoice[] = [{ role: 'all', option, capacity }]
  let trials = 0
  const trialOf: TrialOf = (_, requests_per_s) => {
    trials += 1
    return trialWith(requests_per_s <= holds ? 0.95 : 0.5)
  }
  const size = { ok: true, replicas: [replicas], trial: trialWith(0.95), ...(tooFew !== undefined && { tooFew }) } as const
  const { requests_per_s } = fleetLimit(parts, { ...LOAD, size }, trialOf)
  return { requests_per_s, trials }
}

test.each([
  { holds: 12.2, expected: 12, replicas: 1, most: 5 },
  { holds: 11, expected: 12, replicas: 1, most: 5 },
  { holds: 24, expected: 20, replicas: 1, most: 6 },
  { holds: 10.1, expected: 25, replicas: 1, most: 8 },
  { holds: 95, expected: 100, replicas: 1, most: 5 },
  { holds: 11.5, expected: 14, replicas: 6, tooFew: 5, most: 3 },
  { holds: 10.2, expected: 10.4, replicas: 40, tooFew: 39, most: 0 },
])('a limit of $holds is found to 3 % where $expected is expected', ({ most, ...fleet }) => {
  const { requests_per_s, trials } = limitOf(fleet)
  expect(requests_per_s).toBeLessThanOrEqual(fleet.holds)
  expect(requests_per_s * 1.031).toBeGreaterThanOrEqual(fleet.holds)
  expect(trials).toBeLessThanOrEqual(most)
})
