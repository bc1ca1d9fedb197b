// Every change and every refusal leaves a record, and a change without one is not answered as done.

import { createHash } from 'node:crypto'
import type { AccessRecord } from '@ironlaw/contracts/audit-api'
import { accessStream, feedAfter, FEED_START, verifyChain } from '@ironlaw/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueToken } from '../access/tokens.ts'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, runRequest } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed({ trustedProxies: ['10.0.0.0/8'] })
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

async function records(query = ''): Promise<readonly AccessRecord[]> {
  const { status, json } = await bed.call({ method: 'GET', url: `/v1/audit/records?limit=1000${query}`, as: bed.tokens.admin })
  expect(status).toBe(200)
  return json.items
}

test('a change is recorded with who, from where, what, result and request', async () => {
  const made = await bed.call({
    method: 'POST',
    url: '/v1/runs',
    as: bed.tokens.operator,
    body: runRequest({ project: 'search' }),
    headers: { 'x-request-id': 'request-1' },
  })
  expect(made.status).toBe(201)
  const [newest] = await records()
  expect(newest).toMatchObject({
    who: expect.stringMatching(/^operator-/),
    from: '127.0.0.1',
    operation: 'createRun',
    object: made.json.id,
    project: 'search',
    result: 'done',
    status: 201,
    request: 'request-1',
  })
  expect(await records('&project=search')).toHaveLength(1)
  expect(await records('&project=other')).toEqual([])
  expect(await records(`&who=${newest?.who}`)).not.toEqual([])
  expect(await records(`&since=${(newest?.at ?? 0) + 1e6}`)).toEqual([])
})

test('reading leaves no record, and neither does a change that was invalid', async () => {
  const before = await records()
  await bed.call({ method: 'GET', url: '/v1/runs', as: bed.tokens.viewer })
  await bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.operator, body: {} })
  await bed.call({ method: 'GET', url: '/v1/runs' })
  expect(await records()).toEqual(before)
})

test.each([
  ['a role that is too low', () => bed.tokens.viewer, '/v1/runs', 403, /^viewer-/],
  ['a revoked token', () => bed.tokens.revoked, '/v1/runs', 401, /^token:[\da-f]{16}$/],
  ['a path that cannot be decoded', () => bed.tokens.revoked, '/%zz', 401, /^token:[\da-f]{16}$/],
] as const)('%s is recorded as refused', async (_, token, url, status, who) => {
  const refused = await bed.call({ method: 'POST', url, as: token(), body: runRequest() })
  expect(refused.status).toBe(status)
  expect((await records('&refused=true'))[0]).toMatchObject({ result: 'refused', status, who: expect.stringMatching(who) })
})

test('a token that is not valid is named by the start of its hash, and appears nowhere', async () => {
  await bed.call({ method: 'GET', url: '/v1/runs', as: bed.tokens.revoked })
  const [newest] = await records('&refused=true')
  expect(newest?.who).toBe(`token:${createHash('sha256').update(bed.tokens.revoked).digest('hex').slice(0, 16)}`)
  expect(JSON.stringify(await records())).not.toContain('il_')
})

test('a login that is refused is recorded, and one that is not names its token', async () => {
  const refused = await bed.call({ method: 'POST', url: '/v1/login', body: { code: 'x'.repeat(43) } })
  expect(refused.status).toBe(401)
  expect((await records())[0]).toMatchObject({ result: 'refused', operation: 'logIn', who: 'nobody' })
  const code = await bed.call({ method: 'POST', url: '/v1/login-codes', as: bed.tokens.viewer })
  expect((await bed.call({ method: 'POST', url: '/v1/login', body: { code: code.json.code } })).status).toBe(200)
  expect((await records())[0]).toMatchObject({ result: 'done', operation: 'logIn', who: expect.stringMatching(/^token:/) })
})

test.each([
  ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
])('X-Forwarded-For is believed from trusted proxies only: %s', async (remoteAddress, forwarded, from) => {
  const headers = { authorization: `Bearer ${bed.tokens.viewer}`, 'x-forwarded-for': forwarded }
  await bed.api.inject({ method: 'GET', url: '/v1/tokens', headers, remoteAddress })
  expect((await records())[0]).toMatchObject({ from })
})

test('the events that everybody may watch have none of it, and the chain verifies', async () => {
  const feed = await feedAfter(bed.database, FEED_START, 10_000)
  expect(feed.filter(({ stream }) => stream.startsWith('access/'))).toEqual([])
  const verdict = await verifyChain(bed.database, accessStream(1000))
  expect(verdict).toMatchObject({ intact: true })
  const { json } = await bed.call({ method: 'GET', url: '/v1/audit', as: bed.tokens.admin })
  expect(json.items).toContainEqual({ stream: accessStream(1000), ...verdict })
  expect(json.next).toBeNull()
  const paged: object[] = []
  for (let cursor = ''; ;) {
    const page = await bed.call({ method: 'GET', url: `/v1/audit?limit=2&cursor=${cursor}`, as: bed.tokens.admin })
    paged.push(...page.json.items)
    if (page.json.next === null) break
    cursor = page.json.next
  }
  expect(paged).toEqual(json.items)
})

test('what belongs to another project is recorded with that project, though it is answered as absent', async () => {
  const { id } = await bed.newRun({ project: 'search' })
  const token = (name: string, role: 'member' | 'admin', project: string) =>
    issueToken(bed.database, { name, role, projects: [project], actor: 'test', at: 1 })
  const stranger = await token('stranger', 'member', 'ranking')
  expect((await bed.call({ method: 'POST', url: `/v1/runs/${id}/cancel`, as: stranger.secret })).status).toBe(404)
  expect((await bed.call({ method: 'POST', url: '/v1/runs/absent/cancel', as: stranger.secret })).status).toBe(404)
  expect(await records(`&who=${stranger.id}`)).toMatchObject([
    { operation: 'cancelRun', object: id, project: 'search', result: 'refused', status: 404 },
  ])
  const lead = await token('lead', 'admin', 'search')
  const seen = await bed.call({ method: 'GET', url: '/v1/audit/records', as: lead.secret })
  expect(new Set(seen.json.items.map(({ project }: AccessRecord) => project))).toEqual(new Set(['search']))
  const other = await bed.call({ method: 'GET', url: '/v1/audit/records?project=ranking', as: lead.secret })
  expect(other.json.items).toEqual([])
  expect((await bed.call({ method: 'GET', url: '/v1/audit', as: lead.secret })).status).toBe(403)
})

test('pages follow each other without a gap', async () => {
  const all = await records()
  const paged: AccessRecord[] = []
  for (let cursor = ''; ;) {
    const { json } = await bed.call({ method: 'GET', url: `/v1/audit/records?limit=3&cursor=${cursor}`, as: bed.tokens.admin })
    paged.push(...json.items)
    if (json.next === null) break
    cursor = json.next
  }
  expect(paged).toEqual(all)
})

test('a change whose record cannot be stored is answered 503', async () => {
  await sql`alter table events add constraint planted check (stream not like 'access/%') not valid`.execute(bed.database)
  const made = await bed.call({ method: 'POST', url: '/v1/tokens', as: bed.tokens.admin, body: { name: 'unheard', role: 'viewer' } })
  const refused = await bed.call({ method: 'GET', url: '/v1/tokens', as: bed.tokens.viewer })
  await sql`alter table events drop constraint planted`.execute(bed.database)
  expect([made.status, made.json.code, made.text.includes('il_')]).toEqual([503, 'IL_UNAVAILABLE', false])
  expect(refused.status).toBe(403)
  expect(bed.log()).toContain('a refusal was not stored')
})

test(
  'a flood of refusals is cut off, and what was left out is counted',
  async () => {
    const second = await apiBed({ database: bed.database })
    const before = (await records('&refused=true')).length
    const flood = 1200
    await Promise.all(Array.from({ length: flood }, () => second.call({ method: 'GET', url: '/v1/tokens', as: second.tokens.viewer })))
    const kept = (await records('&refused=true')).length - before
    expect(kept).toBeGreaterThan(50)
    expect(kept).toBeLessThan(flood / 2)
    await second.api.close()
    const found = (await records('&refused=true')).find(({ result }) => result === 'left-out')
    expect(found).toMatchObject({ count: flood - kept, who: 'control plane' })
  },
  BED_TIMEOUT_MS,
)
