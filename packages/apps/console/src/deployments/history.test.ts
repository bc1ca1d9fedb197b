import type { EventView } from '@ironlaw/contracts/api'
import { expect, test } from 'vitest'
import { historyOf } from './history.ts'

const event = (at: number, kind: string, body: EventView['body'] = {}): EventView => ({
  cursor: '',
  stream: 's',
  sequence: at,
  at,
  kind,
  actor: 'ada',
  body,
  hash: '',
})

test('a revision that was rolled back never was live, a promoted one replaces the one before', () => {
  const { spans, decisions } = historyOf([
    event(0, 'deployment-created', { revision: 1 }),
    event(1, 'replica-serving', { revision: 1 }),
    event(10, 'revision-created', { revision: 2 }),
    event(15, 'rollout-rolled-back', { revision: 2, why: 'slower' }),
    event(20, 'revision-created', { revision: 3 }),
    event(30, 'rollout-promoted', { revision: 3, why: 'as good' }),
    event(40, 'revision-created', { revision: 4 }),
  ])
  expect(spans).toEqual([
    { revision: 1, as: 'live', from: 0, to: 30 },
    { revision: 2, as: 'tried', from: 10, to: 15, end: 'rolled-back' },
    { revision: 3, as: 'tried', from: 20, to: 30, end: 'promoted' },
    { revision: 3, as: 'live', from: 30 },
    { revision: 4, as: 'tried', from: 40 },
  ])
  expect(decisions.map(({ at }) => at)).toEqual([40, 30, 20, 15, 10, 0])
  expect(decisions.find(({ at }) => at === 15)).toMatchObject({ revision: 2, what: 'rolled back', why: 'slower' })
})

test('a removed deployment ends its revision', () => {
  const { spans } = historyOf([event(0, 'deployment-created', { revision: 1 }), event(9, 'deployment-removed')])
  expect(spans).toEqual([{ revision: 1, as: 'live', from: 0, to: 9 }])
})
