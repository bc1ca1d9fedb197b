import { expect, test } from 'vitest'
import { batchResponseTime, bestBatch } from './batching/service.ts'
import { outputOf, type LooseValues } from './law.ts'

const timeAt = (input: LooseValues, batch: number): number => outputOf(batchResponseTime, { ...input, batch })?.value ?? Number.NaN

const CASES = [1, 10, 100, 900].flatMap((arrivalRate) =>
  [0, 1e-3, 0.05, 2].flatMap((fixedTime) => [0, 1e-4, 1e-3].map((timePerItem) => ({ fixedTime, timePerItem, arrivalRate }))),
)

test.each(CASES)('the best batch answers sooner than every other one: %o', (input) => {
  const best = outputOf(bestBatch, input)?.value ?? Number.NaN
  const least = Math.floor((input.fixedTime * input.arrivalRate) / (1 - input.timePerItem * input.arrivalRate)) + 1
  const others = Array.from({ length: 3000 }, (_, index) => timeAt(input, least + index))
  expect(timeAt(input, best)).toBe(Math.min(...others))
})

test('no batch keeps up with more arrivals than items can be computed', () => {
  expect(outputOf(bestBatch, { fixedTime: 0.05, timePerItem: 0.01, arrivalRate: 100 })?.value).toBe(Infinity)
})
