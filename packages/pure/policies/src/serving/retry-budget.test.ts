import { expect, test } from 'vitest'
import { hedgeAfter_s, noFirstBytes, recordFirstByte } from './hedge.ts'
import { earnRetry, mayRetry, newRetryBudget, spendRetry } from './retry-budget.ts'
import { weightedChoice } from './weighted-choice.ts'

test('when everything fails, retries add a tenth', () => {
  const budget = newRetryBudget()
  let retries = 0
  for (let request = 0; request < 10_000; request += 1) {
    earnRetry(budget)
    if (spendRetry(budget)) retries += 1
  }
  expect(retries).toBeGreaterThan(990)
  expect(retries).toBeLessThan(1020)
})

for (const [what, over, may] of [
  ['a first attempt', {}, true],
  ['the last attempt', { number: 3 }, false],
  ['a byte is out', { bytesPassedOn: 1 }, false],
  ['no time left', { left_s: 0 }, false],
] as const)
  test(`${what}: ${may ? 'retried' : 'not retried'}`, () =>
    expect(mayRetry({ number: 1, maxAttempts: 3, bytesPassedOn: 0, left_s: 5, ...over })).toBe(may))

test('hedges after the 95th percentile of first bytes', () => {
  const times = noFirstBytes()
  let state = 1
  for (let seen = 0; seen < 20_000; seen += 1) {
    if (seen === 49) expect(hedgeAfter_s(times)).toBeUndefined()
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    recordFirstByte(times, 0.1 + state / 2 ** 32)
  }
  const quantile = hedgeAfter_s(times) ?? 0
  expect(Math.abs(quantile - 1.05)).toBeLessThan(0.1)
})

for (const [weights, draw, chosen] of [
  [[99, 1], 0.5, 0],
  [[99, 1], 0.995, 1],
  [[0, 1], 0, 1],
  [[1, 0], 0.999999999, 0],
  [[0, 0], 0.5, -1],
  [[], 0.5, -1],
] as const)
  test(`weights ${weights.join(':')} at ${draw}`, () => expect(weightedChoice(weights, draw)).toBe(chosen))
