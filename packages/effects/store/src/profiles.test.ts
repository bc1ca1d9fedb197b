// What a gateway with ill will can make the database keep, and what a late report can undo: nothing.

import { beforeEach, expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, freshId } from '../test/samples.ts'
import type { Database } from './database.ts'
import { createDeployment, orderDeployment } from './deployments.ts'
import {
  closeProfileHours,
  MOST_BOOTS,
  MOST_CLASSES,
  MOST_COUNTED,
  MOST_WINDOW_BYTES,
  MOST_WINDOWS_KEPT,
  recordProfiles,
  type ReportedWindow,
} from './profiles.ts'

const HOUR = 495_000

const REVISION = {
  number: 1,
  model: 'm',
  argv: ['engine'],
  directory: '/',
  environment: {},
  processesPerReplica: 1,
  maxRunning: 1,
  createdAt: 0,
} as const

async function deployed(database: Database, name: string, hour = HOUR - 100): Promise<string> {
  const id = freshId('deployment')
  const spec = { replicas: 1 } as Parameters<typeof createDeployment>[1]['spec']
  expect(
    await createDeployment(database, { id, name, project: 'p', team: 't', spec, revision: REVISION }, event('made', hour * 3600)),
  ).toBe('created')
  return id
}

const window = (over: Partial<ReportedWindow> = {}): ReportedWindow => ({
  pool: 'chat@1',
  class: 'other',
  hour: HOUR,
  rows: 1,
  counted: 1,
  body: '{}',
  ...over,
})

onEachDatabase((opened) => {
  let name = ''
  let id = ''
  beforeEach(async () => {
    const { database } = opened()
    await database.deleteFrom('profile_windows').execute()
    await database.updateTable('profile_mark').set({ hour: 0 }).execute()
    name = freshId('chat')
    id = await deployed(database, name)
  })

  const record = (windows: readonly Partial<ReportedWindow>[], { gateway = 'g', boot = 'b', hour_now = HOUR } = {}) =>
    recordProfiles(
      opened().database,
      { gateway, boot, hour_now },
      windows.map((each) => window({ pool: `${name}@1`, ...each })),
    )
  const stored = () => opened().database.selectFrom('profile_windows').selectAll().execute()

  test('greater totals replace smaller ones, never the reverse, in one report or several', async () => {
    expect(
      await record([
        { counted: 5, body: 'five' },
        { counted: 7, body: 'seven' },
        { counted: 6, body: 'six' },
      ]),
    ).toEqual({ written: 1, beyond: 0 })
    expect(await record([{ counted: 7, body: 'again' }])).toEqual({ written: 0, beyond: 0 })
    expect(await record([{ counted: 6, body: 'older' }])).toEqual({ written: 0, beyond: 0 })
    expect(await stored()).toMatchObject([{ body: 'seven' }])
    await Promise.all([9, 12, 10, 8, 11].map((counted) => record([{ counted, body: String(counted) }])))
    expect(await stored()).toMatchObject([{ body: '12', counted: 12 }])
  })

  test('the control group of a rollout counts apart from its pool', async () => {
    await record([{}, { pool: `${name}@1-control` }])
    expect(await stored()).toMatchObject([{ revision: 1 }, { revision: 1 }])
  })

  test('classes of an hour and processes of a gateway are limited, and what is there goes on', async () => {
    const classes = Array.from({ length: MOST_CLASSES + 3 }, (_, index) => ({ class: `c${index}` }))
    expect(await record(classes)).toEqual({ written: MOST_CLASSES, beyond: 3 })
    for (let boot = 1; boot < MOST_BOOTS; boot += 1) await record([{ class: 'c1' }], { boot: `b${boot}` })
    expect(await record([{ class: 'c1' }, { class: 'c2' }, { class: 'new' }], { boot: 'last' })).toEqual({ written: 1, beyond: 2 })
    expect(await record([{ class: 'c1', counted: 2 }])).toEqual({ written: 1, beyond: 0 })
    expect(await record([{ class: 'c1' }], { gateway: 'other' })).toEqual({ written: 1, beyond: 0 })
  })

  test('bytes and counts of a window are limited', async () => {
    expect(await record([{ body: 'x'.repeat(MOST_WINDOW_BYTES + 1) }])).toEqual({ written: 0, beyond: 1 })
    expect(await record([{ counted: MOST_COUNTED + 1 }])).toEqual({ written: 0, beyond: 1 })
    expect(await record([{ body: 'x'.repeat(MOST_WINDOW_BYTES), counted: MOST_COUNTED }])).toEqual({ written: 1, beyond: 0 })
  })

  test('windows of a gateway are limited', async () => {
    const row = { deployment_id: id, revision: 1, class: 'c', pool: 'p', gateway: 'g', rows: 1, counted: 1, body: '' }
    const rows = Array.from({ length: MOST_WINDOWS_KEPT - 1 }, (_, index) => ({ ...row, hour: HOUR - 40, boot: String(index) }))
    for (let at = 0; at < rows.length; at += 1000)
      await opened()
        .database.insertInto('profile_windows')
        .values(rows.slice(at, at + 1000))
        .execute()
    expect(await record([{ class: 'a' }, { class: 'b' }])).toEqual({ written: 1, beyond: 1 })
    expect(await record([{ class: 'b' }], { gateway: 'other' })).toEqual({ written: 1, beyond: 0 })
  })

  test('a closed hour stays closed, whatever a clock says', async () => {
    await closeProfileHours(opened().database, HOUR + 1)
    await closeProfileHours(opened().database, HOUR - 5)
    expect(await record([{}, { hour: HOUR + 1 }])).toEqual({ written: 1, beyond: 0 })
    expect(await stored()).toMatchObject([{ hour: HOUR + 1 }])
  })

  test('an hour belongs to the deployment that had the name at its end', async () => {
    const { database } = opened()
    await orderDeployment(database, { id, at: 1 }, () => ({ answer: '', change: { events: [event('gone')], desired: 'remove' } }))
    await database.updateTable('deployments').set({ state: 'removed' }).where('id', '=', id).execute()
    const next = await deployed(database, name, HOUR - 0.5)
    expect(await record([{ hour: HOUR - 2 }, { hour: HOUR - 1 }, { hour: HOUR }])).toEqual({ written: 3, beyond: 0 })
    const owners = (await stored()).toSorted((one, other) => one.hour - other.hour).map(({ deployment_id }) => deployment_id)
    expect(owners).toEqual([id, next, next])
  })
})
