// Values of the estimator are from the code of M. Chen et al., arXiv 2107.03374, figure 3, computed once with numpy.

import { fc, test as property } from '@fast-check/vitest'
import type { ItemResult } from '@ironlaw/contracts/evaluation-items'
import { expect, test } from 'vitest'
import { metricIntervals } from './metric-intervals.ts'
import { passAtK, programText } from './program-text.ts'
import { programTries } from './program-tries.ts'

test.each([
  [10, 3, 1, 0.3],
  [10, 3, 5, 0.9166666666666666],
  [200, 15, 10, 0.5499888541799736],
  [200, 1, 100, 0.5],
  [5, 4, 2, 1],
  [7, 0, 3, 0],
  [3, 3, 3, 1],
])('of %i tries %i passed: of %i at least one with a chance of %f', (tries, passed, k, chance) =>
  expect(passAtK({ tries, passed, k })).toBeCloseTo(chance, 12),
)

property.prop([fc.integer({ min: 1, max: 12 }), fc.nat(12), fc.integer({ min: 1, max: 12 })])(
  'it is the share of choices of k tries that hold one that passed',
  (tries, some, least) => {
    const [passed, k] = [Math.min(some, tries), Math.min(least, tries)]
    let [all, holding] = [0, 0]
    for (let choice = 0; choice < 2 ** tries; choice += 1) {
      const chosen = Array.from({ length: tries }, (_, place) => (choice >> place) & 1)
      if (chosen.reduce((sum, each) => sum + each, 0) !== k) continue
      all += 1
      if (chosen.slice(0, passed).includes(1)) holding += 1
    }
    expect(passAtK({ tries, passed, k })).toBeCloseTo(holding / all, 9)
  },
)

test.each([
  ['    return 2', 'def f():\n', 'def f():\n    return 2'],
  ['Sure:\n```python\ndef f():\n    return 2\n```\nDone.\n```\nother\n```', 'import os', 'import os\ndef f():\n    return 2\n'],
  ['```\nx = 1\n', '', '\nx = 1\n'],
  ['use `x` here', '', 'use `x` here'],
])('of %j after %j the program is %j', (written, before, program) => expect(programText({ before }, written)).toBe(program))

test('tries are summed up by item, and pass@k is said only up to their number', () => {
  const result = (id: string, passed: number, timed_out = 0): ItemResult => ({
    id,
    score: passed,
    values: { passed, timed_out },
    tokens_in: 1,
    tokens_out: 1,
    ms: 1,
    output_digest: '0'.repeat(64),
  })
  const repeats = [
    [result('a', 1), result('b', 0)],
    [result('a', 0), result('b', 0, 1)],
    [result('a', 1), result('b', 0)],
  ]
  const tries = programTries(repeats)
  expect(tries.map(({ score }) => score)).toEqual([2 / 3, 0])
  const metrics = metricIntervals('program', tries)
  expect(Object.keys(metrics)).toEqual(['pass@1', 'pass@2', 'timed_out'])
  expect(metrics['pass@1']?.value).toBeCloseTo(1 / 3, 12)
  expect(metrics['pass@2']?.value).toBeCloseTo(1 / 2, 12)
  expect(metrics['timed_out']?.value).toBeCloseTo(1 / 6, 12)
})
