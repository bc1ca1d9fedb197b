import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { expect, test } from 'vitest'
import { NO_REGRESSION, rolloutTrials, USUAL_TRAFFIC } from './trials.ts'

const ends = (regression: Partial<typeof NO_REGRESSION>, trials: number) =>
  rolloutTrials(DEFAULT_ROLLOUT, { regression: { ...NO_REGRESSION, ...regression }, traffic: USUAL_TRAFFIC, seed: 7, trials })

test('a good revision is rolled back no more often than stated, a bad one promoted no more often than stated', () => {
  const { falseRollback, falsePromotion } = DEFAULT_ROLLOUT.risk
  expect(ends({}, 300).rolledBack).toBeLessThanOrEqual(300 * falseRollback)
  for (const regression of [{ ttft: 1.2 }, { tpot: 1.1 }, { errors: 0.02 }])
    expect(ends(regression, 100).promoted).toBeLessThanOrEqual(100 * falsePromotion)
})

test('what is plainly bad goes within seconds', () => {
  const failing = ends({ errors: 0.5 }, 50)
  expect(failing.rolledBack).toBe(50)
  expect(failing.p95_s).toBeLessThan(10)
  expect(ends({ ttft: 3, tpot: 3 }, 50).p95_s).toBeLessThan(30)
})
