import { expect, test } from 'vitest'
import { PLAIN, type Strategy } from '../strategy.ts'
import { Ranking } from './ranking.ts'

const candidate = (step_s: number, strategy: Partial<Strategy>, at = 0) => ({
  strategy: { ...PLAIN, ...strategy },
  step_s,
  memory_bytes: 1,
  spread_bytes: 0,
  at,
})

test('of plans of one kind only the fastest is kept, and a faster kind is not crowded out', () => {
  const ranking = new Ranking(2, 'kinds')
  ranking.offer(candidate(5, { tensor: 2 }))
  ranking.offer(candidate(4, { tensor: 4 }))
  ranking.offer(candidate(3, { tensor: 8, microbatch: 2 }))
  ranking.offer(candidate(6, { pipeline: 4 }))
  ranking.offer(candidate(7, { shards: 'weights' }))
  expect(ranking.candidates().map(({ step_s }) => step_s)).toEqual([3, 6])
})

test('without that, the fastest are kept whatever their kind', () => {
  const ranking = new Ranking(2)
  for (const step_s of [5, 4, 3]) ranking.offer(candidate(step_s, { tensor: 2 }))
  expect(ranking.candidates().map(({ step_s }) => step_s)).toEqual([3, 4])
})
