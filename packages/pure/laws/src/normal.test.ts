import { expect, test } from 'vitest'
import { erfc, normalQuantile, normalShareAbove, normalShareBelow } from './normal.ts'

// Reference values: Abramowitz and Stegun, table 7.1 and 26.1, and 30-digit arithmetic for the tails.
test.each([
  [0, 1],
  [0.5, 0.4795001221869535],
  [1, 0.15729920705028513],
  [2, 0.004677734981047266],
  [5, 1.5374597944280349e-12],
  [-1, 1.8427007929497148],
])('erfc(%d)', (x, want) => {
  expect(Math.abs(erfc(x) / want - 1)).toBeLessThan(1e-12)
})

test.each([
  [0.5, 0],
  [0.975, 1.959963984540054],
  [0.8, 0.8416212335729143],
  [1e-9, -5.997807015007687],
])('the quantile of %d', (share, want) => {
  expect(normalQuantile(share)).toBeCloseTo(want, 11)
})

test('quantile and share undo each other, shares add up to one', () => {
  for (const z of [-6, -2.5, -0.3, 0, 1.1, 4]) {
    expect(normalQuantile(normalShareBelow(z))).toBeCloseTo(z, 9)
    expect(normalShareBelow(z) + normalShareAbove(z)).toBeCloseTo(1, 14)
  }
})
