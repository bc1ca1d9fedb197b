import type { StepView } from '@ironlaw/contracts/api'
import { expect, test } from 'vitest'
import { slowestRanks } from './slowest-ranks.ts'

const step = (number: number, attempt: number, slowest?: readonly [rank: number, compute_s: number]): StepView => ({
  cursor: '',
  attempt,
  step: number,
  at: number,
  seconds: 1,
  tokens: 1,
  world: 4,
  phases_s: {},
  ...(slowest && { slowest: { rank: slowest[0], compute_s: slowest[1] }, median_compute_s: 1 }),
})

test('the rank that is waited for most often stands first, of the newest attempt only', () => {
  const steps = [step(1, 1, [0, 9]), step(1, 2, [3, 1.2]), step(2, 2, [3, 1.4]), step(3, 2, [1, 1.1]), step(4, 2)]
  const [first, second, ...rest] = slowestRanks(steps)
  expect(first).toEqual({ rank: 3, share: 2 / 3, behind: expect.closeTo(0.3, 9) })
  expect(second?.rank).toBe(1)
  expect(rest).toEqual([])
})

test('no steps give no ranks', () => {
  expect(slowestRanks([])).toEqual([])
  expect(slowestRanks([step(1, 1)])).toEqual([])
})
