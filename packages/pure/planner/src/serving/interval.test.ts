import { expect, test } from 'vitest'
import { firstTokenInterval, firstTokenSpread, firstTokenWithin, servingSpread } from './interval.ts'
import { replicaOf } from './test-replica.ts'

const replica = replicaOf()

test('a first token that is all prompt is as sure as a step, one that is all queue is not', () => {
  const sure = firstTokenSpread(replica, { prompt_s: 2, ttft_s: 2 })
  expect(sure).toBe(servingSpread(replica, 'tpot_s'))
  expect(firstTokenSpread(replica, { prompt_s: 0, ttft_s: 2 })).toBeGreaterThan(3 * sure)
  const { low, high } = firstTokenInterval(replica, { prompt_s: 1, ttft_s: 2 })
  expect(low).toBeLessThan(2)
  expect(high / 2).toBeCloseTo(2 / low, 9)
})

test('what stays within an objective is as much shorter as the error that it is to endure', () => {
  for (const prompt_s of [0.01, 0.1, 0.5]) {
    const ttft_s = firstTokenWithin(replica, { objective_s: 1, prompt_s, z: 1.28 })
    expect(ttft_s * Math.exp(1.28 * firstTokenSpread(replica, { prompt_s, ttft_s }))).toBeCloseTo(1, 6)
  }
})

test('a longer part of prompt leaves more of the objective', () => {
  const within = (prompt_s: number): number => firstTokenWithin(replica, { objective_s: 1, prompt_s, z: 1.28 })
  expect(within(0.5)).toBeGreaterThan(within(0.1))
})
