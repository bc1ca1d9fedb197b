import { expect, test } from 'vitest'
import { confirmedSize, fleetSize } from './fleet-size.ts'
import type { FleetLoad, TrialOf } from './fleet-trial.ts'
import type { PoolChoice } from './pool-choice.ts'
import { preparedReplica } from './prepared-replica.ts'
import { replicaOf } from './test-replica.ts'

const option = preparedReplica(replicaOf())
const FELT = { ttft: { value: 0.1, error: 0 }, tpot: { value: 0.01, error: 0 }, attained: 1, decode_s: 1 }

const pool = (role: PoolChoice['role'], requests_per_s: number): PoolChoice => ({
  role,
  option,
  capacity: { ok: true, requests_per_s, ttft_s: 0.1, tpot_s: 0.01, decoding: 10, binding: 'tpot' },
})

const LOAD: FleetLoad = {
  traffic: { requests_per_s: 16, input_tokens: 1000, output_tokens: 100, cachedPrompt: 0 },
  objectives: { ttft_s: 1, tpot_s: 0.05, percentile: 'p90', probability: 0.9 },
}

/** Tokens are in time with so many replicas for them, or when idle. */
const tokensNeed =
  (least: number): TrialOf =>
  ([, tokens = 1], requests_per_s) => {
    const tpot = tokens >= least || requests_per_s < 1 ? 0.99 : 0
    return { probability: tpot, chance: { ttft: 0.99, tpot }, felt: FELT, prompt_s: 0.05 }
  }

test('of separate pools, the last fleet that is tried is judged like the others', () => {
  // From four: 5, 6, 8, 10, 13, 16, 20, 25 and 31, the tenth.
  const size = fleetSize([pool('prefill', 8), pool('decode', 4)], LOAD, tokensNeed(31))
  expect(size.ok && size.replicas).toEqual([2, 31])
})

test('a fleet that never suffices is refused with its size', () => {
  const size = fleetSize([pool('prefill', 8), pool('decode', 4)], LOAD, tokensNeed(1000))
  expect(!size.ok && size.reason).toBe('2 + 31 replicas hold the objectives with no more than 0.0 % probability')
})

test('a fleet that holds for one draw of the traffic alone grows until it holds for others', () => {
  const needs =
    (least: number): TrialOf =>
    ([replicas = 1]) => {
      const chance = replicas >= least ? 0.95 : 0.8
      return { probability: chance, chance: { ttft: chance, tpot: chance }, felt: FELT, prompt_s: 0.05 }
    }
  const found = { ok: true, replicas: [4], trial: needs(4)([4], 16) } as const
  expect(confirmedSize(found, LOAD, { trialOf: needs(4), others: [needs(3)] }).replicas).toEqual([4])
  expect(confirmedSize(found, LOAD, { trialOf: needs(4), others: [needs(3), needs(6)] }).replicas).toEqual([6])
})
