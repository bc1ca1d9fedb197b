// What callers without a valid token, or with one and ill will, can make the control plane do.

import { eventsOf, MOST_GATEWAYS, PRINCIPALS_STREAM } from '@ironlaw/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { FAILED_TOKENS } from './authentication.ts'
import { issueToken } from '../access/tokens.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const gatewayToken = async (name: string): Promise<string> =>
  (await issueToken(bed.database, { name, role: 'gateway', actor: 'test', at: 1 })).secret

const sync = (name: string, as: string, over: object = {}) =>
  bed.call({ method: 'POST', url: `/v1/gateways/${name}/sync`, as, body: { boot: 'x', version: 0, pools: [], replicas: [], ...over } })

test('a token of a gateway speaks for the first gateway that used it, and for no other', async () => {
  const one = await gatewayToken('some-name')
  expect((await sync('g1', one)).status).toBe(204)
  const other = await sync('g2', one)
  expect([other.status, other.json.title]).toEqual([403, 'this needs a token of gateway g2, the token is for gateway g1'])
  // A second token does not take over a gateway that has one, unless it carries its name.
  expect((await sync('g1', await gatewayToken('intruder'))).status).toBe(403)
  expect((await sync('g1', await gatewayToken('g1'))).status).toBe(204)
  expect((await sync('g1', one)).status).toBe(204)
  expect((await sync('anything', bed.tokens.operator)).status).toBe(204)
  const events = await eventsOf(bed.database, PRINCIPALS_STREAM, { after: 0, limit: 100 })
  expect(events.filter(({ kind }) => kind === 'token-bound')).toHaveLength(2)
})

test('what a gateway sends has a limit in bytes and in entries', async () => {
  const token = await gatewayToken('large')
  const pools = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `p${index}`.padEnd(190, 'x'), arrived: 1, queued: 1 }))
  expect((await sync('large', token, { pools: pools(10_000) })).status).toBe(413)
  expect((await sync('large', token, { pools: pools(5001) })).status).toBe(400)
  expect((await sync('large', token, { pools: pools(5000) })).status).toBe(204)
})

test('a limited number of gateways is remembered, and silent ones make room', async () => {
  const row = (id: string, seen_at: number) => ({ id, seen_at, body: '{"boot":"x","version":0,"leaving":false,"pools":[],"replicas":[]}' })
  await bed.database
    .insertInto('gateways')
    .values(Array.from({ length: MOST_GATEWAYS }, (_, index) => row(`many-${index}`, 1e6)))
    .execute()
  const full = await sync('newcomer', bed.tokens.operator)
  expect([full.status, full.json.code]).toEqual([429, 'IL_LIMIT'])
  expect(Number(full.headers['retry-after'])).toBeGreaterThan(0)
  await bed.database.updateTable('gateways').set({ seen_at: -1e6 }).where('id', 'like', 'many-%').execute()
  expect((await sync('newcomer', bed.tokens.operator)).status).toBe(204)
})

test('health is answered without a token', async () => {
  expect(await bed.call({ method: 'GET', url: '/healthz' })).toMatchObject({ status: 200, text: 'ok\n' })
  expect(await bed.call({ method: 'GET', url: '/readyz' })).toMatchObject({ status: 200, text: 'ready\n' })
})

test('tokens that are not valid are refused without a query beyond some a second; those that were valid before go on', async () => {
  expect((await bed.call({ method: 'GET', url: '/v1/runs', as: bed.tokens.viewer })).status).toBe(200)
  const guess = () => bed.call({ method: 'GET', url: '/v1/runs', as: `il_${'y'.repeat(43)}` })
  // All at once: the burst allowance, plus enough to use up the next seconds.
  await Promise.all(Array.from({ length: FAILED_TOKENS.burst + 60 * FAILED_TOKENS.perSecond }, guess))
  const answer = await guess()
  expect([answer.status, answer.json.code]).toEqual([429, 'IL_LIMIT'])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect((await bed.call({ method: 'GET', url: '/v1/runs', as: bed.tokens.viewer })).status).toBe(200)
  expect((await bed.call({ method: 'GET', url: '/v1/runs' })).status).toBe(401)
})
