import { expect, test } from 'vitest'
import { formulaValue } from './formula.ts'

const scope = (name: string): number | readonly number[] | undefined => ({ a: 2, b: 3, xs: [1, 2, 3], ys: [4, 5, 6] })[name]

test.each([
  ['a + b * 2', 8],
  ['(a + b) * 2', 10],
  ['a ^ b ^ 2', 512],
  ['-a ^ 2', -4],
  ['10 - 3 - 2', 5],
  ['12 / 3 / 2', 2],
  ['2e3 + 1.5', 2001.5],
  ['sqrt(a * 8)', 4],
  ['ceil(b / a)', 2],
  ['max(a, b, 1)', 3],
  ['sum(xs * ys)', 32],
  ['sum(xs) / len(xs)', 2],
  ['mean(ys) - min(xs)', 4],
  ['prod(1 - xs / 10)', 0.9 * 0.8 * 0.7],
  ['c + d where c = a * b; d = c + 1', 13],
  ['day / hour', 24],
] as const)('%s', (formula, want) => {
  expect(formulaValue(formula, scope)).toBeCloseTo(want, 12)
})

test.each(['a +', 'a b', 'nowhere', 'tan(a)', '(a', 'xs', 'a $ b'])('%s is refused', (formula) => {
  expect(() => formulaValue(formula, scope)).toThrow()
})

test('prose is not evaluated', () => {
  expect(formulaValue('text: the smallest batch that is stable', scope)).toBeUndefined()
})
