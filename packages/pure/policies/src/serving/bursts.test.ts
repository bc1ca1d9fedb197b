import { expect, test } from 'vitest'
import { type Bursts, updatedBursts, replicasForBursts } from './bursts.ts'

const RULE = { tokensPerSecond: 1000, most: 10, fade_s: 600 }

/** So many seconds of this load, on top of what is remembered. */
function burstsAfter(bursts: Bursts, load: number, seconds: number): Bursts {
  let memory = bursts
  for (let second = 0; second < seconds; second += 1) memory = updatedBursts(memory, { load, elapsed_s: 1, ...RULE })
  return memory
}

test('the share that is asked for finds room, and no more is kept', () => {
  const mixed = burstsAfter(burstsAfter([], 900, 100), 4500, 10)
  expect(replicasForBursts(mixed, 0.99)).toBe(5)
  expect(replicasForBursts(mixed, 0.5)).toBe(1)
  expect(replicasForBursts([], 0.9)).toBe(0)
})

test('never more than the most', () => expect(replicasForBursts(burstsAfter([], 99_000, 10), 0.9)).toBe(10))

test('what came before fades, in silence too', () => {
  const burst = burstsAfter([], 8000, 60)
  expect(replicasForBursts(burstsAfter(burst, 500, 300), 0.9)).toBe(8)
  expect(replicasForBursts(burstsAfter(burst, 500, 3000), 0.9)).toBe(1)
  expect(replicasForBursts(burstsAfter(burst, 0, 300), 0.9)).toBe(8)
  expect(replicasForBursts(burstsAfter(burst, 0, 3000), 0.9)).toBe(0)
})

test('one long look is as many short ones', () => {
  for (const seconds of [60, 6000]) {
    const [short, long] = [burstsAfter([], 2500, seconds), updatedBursts([], { load: 2500, elapsed_s: seconds, ...RULE })]
    expect((short[3] ?? 0) / (long[3] ?? 1)).toBeCloseTo(1, 6)
  }
})
