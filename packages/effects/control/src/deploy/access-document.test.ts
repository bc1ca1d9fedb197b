import { eventsOf, GATEWAYS_STREAM } from '@ironlaw/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const key = (digit: string) => ({ sha256: digit.repeat(64), tenant: 't' })
const short = (digit: string) => digit.repeat(12)

function put(keys: readonly string[], { ifMatch, tenant = {} }: { readonly ifMatch?: string; readonly tenant?: object } = {}) {
  const body = { tenants: { t: tenant }, keys: keys.map(key) }
  const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch }
  return bed.call({ method: 'PUT', url: '/v1/gateway-config', as: bed.tokens.admin, body, headers })
}

const get = () => bed.call({ method: 'GET', url: '/v1/gateway-config', as: bed.tokens.admin })

test('an old file of another administrator does not bring a revoked key back; the trail says which keys and budgets changed', async () => {
  expect((await get()).status).toBe(404)
  const first = await put(['a', 'b'])
  expect(first.status).toBe(200)
  const { headers, json } = await get()
  expect(headers['etag']).toBe(first.headers['etag'])
  expect(json.keys).toHaveLength(2)
  const seen = String(headers['etag'])

  const unseen = await put(['b'])
  expect([unseen.status, unseen.json.code]).toEqual([428, 'IL_UNSEEN'])
  const revoked = await put(['b'], { ifMatch: seen, tenant: { budget: 'team' } })
  expect(revoked.status).toBe(200)

  const stale = await put(['a', 'b', 'c'], { ifMatch: seen })
  expect([stale.status, stale.json.code]).toEqual([412, 'IL_STALE'])
  expect(stale.json.title).toContain(`keys removed: ${short('a')}, tenants changed: t, budget of t: none to team`)
  expect((await get()).json.keys).toHaveLength(1)

  const events = (await eventsOf(bed.database, GATEWAYS_STREAM, { after: 0, limit: 9 })).map(({ body }) => body)
  expect(events).toMatchObject([
    { keys: { added: [short('a'), short('b')] }, tenants: { added: ['t'] } },
    { keys: { removed: [short('a')] }, tenants: { changed: ['t'] }, budgets: [{ tenant: 't', from: null, to: 'team' }] },
  ])
  expect((await put(['d'], { ifMatch: '*' })).status).toBe(200)
})

test('of two who change the same document at once, one is refused', async () => {
  const { etag } = (await get()).headers
  const answers = await Promise.all(['1', '2', '3'].map((digit) => put([digit], { ifMatch: String(etag) })))
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412, 412])
})

test('a document that changes very many keys says how many more there are', async () => {
  const keys = Array.from({ length: 1000 }, (_, index) => ({ sha256: index.toString(16).padStart(64, '0'), tenant: 't' }))
  const headers = { 'if-match': '*' }
  await bed.call({ method: 'PUT', url: '/v1/gateway-config', as: bed.tokens.admin, body: { tenants: { t: {} }, keys }, headers })
  const events = await eventsOf(bed.database, GATEWAYS_STREAM, { after: 0, limit: 99 })
  expect(events.at(-1)?.body).toMatchObject({ more: 800 })
})
