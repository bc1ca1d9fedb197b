// Budgets over the tables that a gateway makes.

import { readFileSync } from 'node:fs'
import { BUDGETS_STREAM, eventsOf } from '@ironlaw/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const put = (name: string, limit_usd: number, as = bed.tokens.admin) =>
  bed.call({ method: 'PUT', url: `/v1/budgets/${name}`, as, body: { limit_usd } })
const get = (path: string) => bed.call({ method: 'GET', url: `/v1/budgets${path}`, as: bed.tokens.admin })

test('without gateways that keep budgets here, setting one says what to do', async () => {
  expect((await get('')).json).toEqual({ items: [], next: null })
  expect(await put('team', 1)).toMatchObject({ status: 409, json: { next: expect.stringContaining('--database') } })
})

test('a limit is set and changed, what was spent stays, and the trail says what it was', async () => {
  const [table = ''] =
    /create table gateway_budgets \([^;]*;/.exec(
      readFileSync(new URL('../../../gateway/src/budget/0001-budgets.sql', import.meta.url), 'utf8'),
    ) ?? []
  await sql.raw(table).execute(bed.database)
  expect((await get('/team')).status).toBe(404)
  expect(await put('team', 100)).toMatchObject({ status: 200, json: { name: 'team', limit_usd: 100, spent_usd: 0, reserved_usd: 0 } })
  await sql`update gateway_budgets set spent_nusd = 30000000000, leased_nusd = 1000000000`.execute(bed.database)
  expect(await put('team', 150.5)).toMatchObject({ json: { limit_usd: 150.5, spent_usd: 30, reserved_usd: 1 } })
  expect((await get('')).json.items).toEqual([(await get('/team')).json])
  const events = await eventsOf(bed.database, BUDGETS_STREAM, { after: 0, limit: 10 })
  expect(events.map(({ kind, actor, body }) => ({ kind, actor: actor.replace(/-.*/, ''), body }))).toEqual([
    { kind: 'budget-created', actor: 'admin', body: { budget: 'team', before: null, after: { limit_usd: 100 } } },
    {
      kind: 'budget-changed',
      actor: 'admin',
      body: { budget: 'team', before: { limit_usd: 100, spent_usd: 30 }, after: { limit_usd: 150.5 } },
    },
  ])
})

test('two at once leave a trail in which each is the next after the other', async () => {
  await Promise.all([put('shared', 1), put('shared', 2), put('shared', 3)])
  const events = await eventsOf(bed.database, BUDGETS_STREAM, { after: 2, limit: 10 })
  const limits = events.map(({ body }) => JSON.stringify([body['before'], body['after']]))
  expect(limits[0]).toMatch(/^\[null,/)
  for (const [index, { body }] of events.slice(1).entries())
    expect(body['before']).toMatchObject({ ...Object(events[index]?.body['after']) })
})

test('only an administrator of the site sets budgets, and amounts must stay whole', async () => {
  expect((await put('team', 1, bed.tokens.operator)).status).toBe(403)
  expect((await put('team', 9_000_001)).status).toBe(400)
  expect((await put('team', -1)).status).toBe(400)
})
