import { expect, test } from 'vitest'
import { measuredRequests } from './measured.ts'

const answer = { at_s: 0, prompt: 'abc', output: 3, due_s: 100, first_s: 100.52, last_s: 100.73, ended_s: 100.74 }

test('every second of an answer has one cause, a cold start, a retry and the wait for a step among them', () => {
  const engines = [
    // Left without a token.
    [{ prompt: 'abc', at_s: 100.2, tokens_s: [], ended_s: 100.3 }],
    [
      { prompt: 'other', at_s: 100.1, tokens_s: [100.25, 100.4, 100.5], ended_s: 100.5 },
      { prompt: 'abc', at_s: 100.3, tokens_s: [100.51, 100.6, 100.7], ended_s: 100.7 },
    ],
  ]
  const [served] = measuredRequests([answer], engines, 100.15)
  const { causes, latency_s = 0 } = served ?? {}
  for (const [cause, seconds] of [
    ['cold start', 0.15],
    ['retries', 0.1],
    ['network', 0.05 + 0.03],
    ['queue', 0.1],
    ['prefill', 0.11],
    ['decode', 0.19],
  ] as const)
    expect(causes?.[cause], cause).toBeCloseTo(seconds, 9)
  expect(Object.values(causes ?? {}).reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(latency_s, 9)
})
