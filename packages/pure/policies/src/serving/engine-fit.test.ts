import { expect, test } from 'vitest'
import { fitEngine } from './engine-fit.ts'
import type { ObservedStep } from './engine-steps.ts'

/** A step for each answer up to four, as long as eight of them for more: not a straight line. */
const CURVE = [0, 2e-3, 3e-3, 4e-3, 5e-3, 8e-3, 8e-3, 8e-3, 8e-3]
const COSTS = { decodeKey_s: 4e-6, prefillSequence_s: 3e-3, prefillToken_s: 4e-4, prefillPair_s: 2e-7, request_s: 1e-3 }

/** Steps of all sizes; `noise` moves one in 97 far off, as a neighbour's burst would. */
function steps({ slower, noise }: { readonly slower: number; readonly noise: number }): readonly ObservedStep[] {
  return Array.from({ length: 4000 }, (_, index) => {
    const decodeSequences = Math.floor(index / 10) % 9
    const prompt = index % 3 === 0 || decodeSequences === 0 ? 10 + ((index * 37) % 300) : 0
    const busy = decodeSequences > 0
    const load = {
      busy,
      prefillSequences: prompt > 0 ? 1 : 0,
      prefillTokens: prompt,
      prefillPairs: (prompt * (prompt + 1)) / 2,
      decodeSequences,
      decodeKeys: decodeSequences * (20 + ((index * 53) % 200)),
    }
    const seconds =
      (CURVE[decodeSequences] ?? 0) +
      COSTS.decodeKey_s * load.decodeKeys +
      COSTS.prefillSequence_s * load.prefillSequences +
      COSTS.prefillToken_s * prompt +
      COSTS.prefillPair_s * load.prefillPairs +
      (busy ? 0 : COSTS.request_s)
    return { ...load, begun: [], from_s: 0, until_s: seconds * slower * (index % 97 === 0 ? 1 + noise : 1) }
  })
}

const KNOTS = [1, 2, 4, 5, 8]

test('the costs that made the steps are found, the curve among them', () => {
  const { costs, heldOut, sharing } = fitEngine([{ copies: 1, steps: steps({ slower: 1, noise: 0 }) }], KNOTS)
  for (const { sequences, seconds } of costs.decode) expect(seconds / (CURVE[sequences] ?? 0)).toBeCloseTo(1, 1)
  expect(costs.prefillToken_s / COSTS.prefillToken_s).toBeCloseTo(1, 1)
  expect(costs.decodeKey_s / COSTS.decodeKey_s).toBeCloseTo(1, 1)
  expect(heldOut.median).toBeLessThan(0.01)
  expect(heldOut.rows).toBeGreaterThan(400)
  expect(sharing[0]?.value).toBeCloseTo(1, 2)
})

test('bursts do not move it, and busy neighbours show in the sharing', () => {
  const readings = [
    { copies: 1, steps: steps({ slower: 1, noise: 3 }) },
    { copies: 2, steps: steps({ slower: 1.5, noise: 0 }) },
    { copies: 2, steps: steps({ slower: 1.7, noise: 0 }) },
  ]
  const { costs, sharing } = fitEngine(readings, KNOTS)
  // With the keys of usual answers: a row hardly distinguishes the two.
  const step = (seconds: number, sequences: number, key_s: number): number => seconds + 120 * sequences * key_s
  for (const { sequences, seconds } of costs.decode) {
    const ratio = step(seconds, sequences, costs.decodeKey_s) / step(CURVE[sequences] ?? 0, sequences, COSTS.decodeKey_s)
    expect(Math.abs(ratio - 1)).toBeLessThan(0.15)
  }
  expect(Math.abs((sharing[1]?.value ?? 0) - 1.6)).toBeLessThan(0.15)
})
