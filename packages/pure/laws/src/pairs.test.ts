import { expect, test } from 'vitest'
import { book } from './book.ts'
import { validityProblems } from './explain.ts'
import type { LooseValues } from './law.ts'
import { pairSum } from './pairs.ts'

test('pairs add up, and a list without partners adds up to nothing', () => {
  const durations = [3600, 7200]
  expect(pairSum([[2, 3], durations])).toBe(28800)
  expect(pairSum([[1, 1], durations], (_, duration) => duration)).toBe(10800)
  expect(pairSum([[2], durations])).toBeNaN()
  expect(pairSum([[2, 3, 4], durations])).toBeNaN()
})

const UNEVEN: readonly [string, LooseValues][] = [
  ['autoscaling/daily-replica-hours', { replicas: [2, 8], phaseDuration: [3600] }],
  ['drift/kl', { p: [0.5, 0.5], q: [1] }],
  ['drift/js', { p: [1], q: [0.5, 0.5] }],
  ['drift/psi', { expected: [1], actual: [0.5, 0.5] }],
  ['edge/wake-cascade', { basePower: 1, duty: [0.1, 0.2], stagePower: [1], alwaysOnPower: 1 }],
  ['iron-law/component-speedup', { baseTime: 1, share: [0.5, 0.5], remaining: [1, 1, 1] }],
  ['monitoring/tiered-retention', { retention: 10, baseInterval: 1, duration: [1, 2], interval: [1] }],
  ['monitoring/weighted-utilization', { utilization: [0.5], capacity: [1, 2] }],
  ['orchestration/elastic-finish', { phaseDuration: [1], phaseThroughput: [0.5, 1], fullScaleDuration: 10, queueWait: 1 }],
  ['reliability/series-mtbf', { componentMtbf: [1, 2], componentCount: [1] }],
]

test.each(UNEVEN)('%s of lists of unequal length is not a number, and says so', (id, input) => {
  const law = book.get(id)
  expect(law?.of(input as never)).toBeNaN()
  expect(law && validityProblems(law, input)).not.toEqual([])
})
