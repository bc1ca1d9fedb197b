import { expect, test } from 'vitest'
import { type Moment, type Trail, trailAfter } from './trail.ts'

const moment = (now: number, over: Partial<Moment> = {}): Moment => ({
  now,
  revision: 2,
  stage: 0,
  findings: [{ of: 'errors', verdict: 'undecided', evidence: -now / 1000, samples: 1 }],
  last: false,
  ...over,
})

test('a long rollout takes no more room than a short one, from its first point to its last', () => {
  let trail: Trail | undefined
  for (let now = 0; now <= 20_000; now += 0.5) trail = trailAfter(trail, moment(now))
  trail = trailAfter(trail, moment(20_000.5, { last: true }))
  expect(trail.points.length).toBeLessThanOrEqual(128)
  expect(trail.points.length).toBeGreaterThan(40)
  expect([trail.points[0]?.at, trail.points.at(-1)?.at]).toEqual([0, 20_000.5])
  const steps = trail.points.slice(1).map(({ at }, index) => at - (trail.points[index]?.at ?? 0))
  expect(Math.max(...steps)).toBeLessThanOrEqual(2 * trail.every_s)
})

test('a stage keeps its first point, and the next rollout begins a new trail', () => {
  const first = trailAfter(trailAfter(undefined, moment(10)), moment(10.5))
  expect(first.points).toHaveLength(1)
  const staged = trailAfter(first, moment(10.6, { stage: 1 }))
  expect(staged.points.map(({ at, stage }) => [at, stage])).toEqual([
    [10, 0],
    [10.6, 1],
  ])
  expect(trailAfter(staged, moment(11, { revision: 3 })).points).toHaveLength(1)
})
