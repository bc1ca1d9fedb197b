import type { RunDiff } from '@ironlaw/contracts/run-diff'
import { expect, test } from 'vitest'
import { runDiffText } from './diff-runs.ts'

const DIFF: RunDiff = {
  from: 'tiny-3',
  to: 'tiny-4',
  same_recipe: false,
  unknown: [{ run: 'tiny-4', part: 'environment' }],
  differences: [
    { part: 'configuration', field: 'argv.--lr', before: '3e-4', after: '1e-4' },
    { part: 'code', field: 'changes.files.train.py', after: 'b2' },
  ],
  more: 1200,
  results: [
    {
      measure: 'loss',
      unit: 'nats',
      before: 2.01,
      after: 1.5,
      difference: -0.51,
      judged: { verdict: 'beyond noise', low: -0.6, high: -0.42, from: 'repetitions', count: 5 },
    },
    {
      measure: 'step time',
      unit: 's',
      before: 1,
      after: 1.25,
      difference: 0.25,
      judged: { verdict: 'noise between runs unknown', low: 0.2, high: 0.3, from: 'steps', count: 200 },
    },
    { measure: 'cost', unit: 'USD', before: 812.5, after: 800, difference: -12.5 },
  ],
}

test('what differs, what is not known, and which result is more than noise', () => {
  const text = runDiffText(DIFF)
  expect(text).toContain('tiny-3 -> tiny-4: different recipes')
  expect(text).toContain('tiny-4 does not say its environment, which may differ')
  expect(text).toMatch(/configuration +argv\.--lr +3e-4 +1e-4/)
  expect(text).toContain('1,200 more differences')
  expect(text).toMatch(/loss +2\.01 nats +1\.5 nats +-0\.51 +-0\.6 to -0\.42 +beyond noise, by 5 runs of these recipes/)
  expect(text).toContain('beyond the noise of 200 steps; one run each, noise between seeds unknown')
  expect(text).toMatch(/cost +812\.5 USD +800 USD +-12\.5 +not judged/)
  expect(runDiffText({ ...DIFF, same_recipe: true, results: [] })).toContain('the same recipe, but for the seed')
  expect(runDiffText({ ...DIFF, results: [] })).toContain('neither has results to compare yet')
})
