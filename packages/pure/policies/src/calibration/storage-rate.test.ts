import { expect, test } from 'vitest'
import { learnedRate } from './storage-rate.ts'

const checkpointsAt = (rate: number) => Array.from({ length: 5 }, () => ({ bytes: 1e8, write_s: 1e8 / rate }))

test('checkpoints move the rate half of the way, in logarithms, and no further than a step', () => {
  expect(learnedRate(1e9, checkpointsAt(1.21e9))?.value).toBeCloseTo(1.1e9, -3)
  expect(learnedRate(1e9, checkpointsAt(100e9))?.value).toBeCloseTo(Math.SQRT2 * 1e9, -3)
})

test('few, small or impossible checkpoints say nothing', () => {
  expect(learnedRate(1e9, checkpointsAt(2e9).slice(2 + 1))).toBeUndefined()
  expect(
    learnedRate(
      1e9,
      checkpointsAt(2e9).map((each) => ({ ...each, bytes: 10 })),
    ),
  ).toBeUndefined()
  expect(
    learnedRate(
      1e9,
      checkpointsAt(2e9).map((each) => ({ ...each, write_s: 0 })),
    ),
  ).toBeUndefined()
})
