import type { EventView } from '@ironlaw/contracts/api'
import { expect, test } from 'vitest'
import { fillHistory, scalingHistory } from './scaling.ts'

const scalingEvent = (at: number, from: number, to: number, why: string): EventView => ({
  cursor: '',
  stream: 's',
  sequence: at,
  at,
  kind: 'deployment-scaled',
  actor: 'reconciler',
  body: { from, to, why },
  hash: '',
})

test('a step at each change, from the creation until now', () => {
  const { steps, changes } = scalingHistory([scalingEvent(10, 2, 5, 'more arrives'), scalingEvent(40, 5, 3, 'fewer were enough')], {
    since: 0,
    now: 60,
    wanted: 3,
  })
  expect(steps).toEqual([
    [0, 2],
    [10, 2],
    [10, 5],
    [40, 5],
    [40, 3],
    [60, 3],
  ])
  expect(changes.map(({ why }) => why)).toEqual(['fewer were enough', 'more arrives'])
})

test('a number that never changed is one line', () =>
  expect(scalingHistory([], { since: 5, now: 9, wanted: 4 })).toEqual({
    steps: [
      [5, 4],
      [9, 4],
    ],
    changes: [],
  }))

test('what was answered, in full replicas, over all revisions', () => {
  const window = (from_at: number, revision: number, tokens: number) => ({ from_at, revision, tokens, answers: 1, errors: 0 })
  const windows = [window(0, 1, 3000), window(0, 2, 3000), window(60, 1, 12_000), window(90, 1, 10)]
  expect(fillHistory({ windows, window_s: 30 }, 100, 100)).toEqual([
    [15, 2],
    [45, 0],
    [75, 4],
  ])
  expect(fillHistory({ windows: [], window_s: 30 }, 100, 100)).toEqual([])
})
