import { expect, test } from 'vitest'
import { plannedTraffic } from './planned-traffic.ts'
import { type ArrivingRequest, newArrivingRequest } from './request-table.ts'

const LONGEST = 8192

function drawn(input_tokens: number, output_tokens: number): readonly ArrivingRequest[] {
  const traffic = { requests_per_s: 10, input_tokens, output_tokens, cachedPrompt: 0 }
  const { arrivals } = plannedTraffic(traffic, { count: 2000, seed: 3, longest: LONGEST })
  const requests: ArrivingRequest[] = []
  for (let next = newArrivingRequest(); arrivals(next); next = newArrivingRequest()) requests.push(next)
  return requests
}

test('prompt and answer together are no longer than the model takes', () => {
  const requests = drawn(7000, 500)
  expect(requests).toHaveLength(2000)
  expect(Math.max(...requests.map(({ prompt, output }) => prompt + output))).toBeLessThanOrEqual(LONGEST)
})

test('where they are longer on average, they are drawn as stated', () => {
  const requests = drawn(10_000, 500)
  expect(Math.min(...requests.map(({ output }) => output))).toBeGreaterThan(0)
  expect(requests.reduce((sum, { prompt }) => sum + prompt, 0) / 2000).toBeGreaterThan(9500)
})
