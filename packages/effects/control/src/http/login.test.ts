// One-time codes over HTTP, with two control planes on one database.

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { CODES_KEPT } from '@ironlaw/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'

let first: ApiBed
let second: ApiBed
let at: readonly string[] = []
beforeAll(async () => {
  first = await apiBed()
  second = await apiBed({ database: first.database })
  at = await Promise.all([first, second].map(({ api }) => api.listen({ host: '127.0.0.1', port: 0 })))
}, 3 * BED_TIMEOUT_MS)
afterAll(async () => {
  await second.api.close()
  await first.close()
})

async function codeFor(token: string): Promise<string> {
  const answer = await fetch(`${at[0]}/v1/login-codes`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(201)
  const { code } = (await answer.json()) as { readonly code: string }
  return code
}

async function logIn(body: unknown, instance = 0): Promise<readonly [number, Readonly<Record<string, string>>]> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${at[instance]}/v1/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text })
  return [answer.status, (await answer.json()) as Readonly<Record<string, string>>]
}

test('a code gives the token of its creator, and is refused the second time', async () => {
  const code = await codeFor(first.tokens.viewer)
  expect(code).toMatch(/^[\w-]{43}$/)
  expect(await logIn({ code })).toEqual([200, { token: first.tokens.viewer }])
  expect(await logIn({ code })).toMatchObject([401, { code: 'IL_LOGIN_CODE', next: expect.stringContaining('ironlaw console') }])
})

test('another instance takes it; of many at once, at both, one gets it', async () => {
  expect((await logIn({ code: await codeFor(first.tokens.viewer) }, 1))[0]).toBe(200)
  const code = await codeFor(first.tokens.admin)
  const all = await Promise.all(Array.from({ length: 10 }, (_, index) => logIn({ code }, index % 2)))
  expect(all.filter(([status]) => status === 200)).toEqual([[200, { token: first.tokens.admin }]])
})

test('one that has expired is refused', async () => {
  const code = await codeFor(second.tokens.viewer)
  await sql`update login_codes set expires_at = 0`.execute(first.database)
  expect((await logIn({ code }, 1))[0]).toBe(401)
})

test('one whose token was revoked meanwhile is refused', async () => {
  const made = await second.call({ method: 'POST', url: '/v1/tokens', as: second.tokens.admin, body: { name: 'gone', role: 'viewer' } })
  const code = await codeFor(made.json.secret)
  await second.call({ method: 'DELETE', url: `/v1/tokens/${made.json.id}`, as: second.tokens.admin })
  expect((await logIn({ code }, 1))[0]).toBe(401)
})

test('only people make codes', async () => {
  const run = await first.newRun()
  for (const [token, status] of [
    [run.token, 403],
    [first.tokens.gateway, 403],
    [first.tokens.revoked, 401],
  ] as const)
    expect((await first.call({ method: 'POST', url: '/v1/login-codes', as: token })).status).toBe(status)
})

test('a principal keeps a limited number of codes', async () => {
  const codes: string[] = []
  for (let made = 0; made < CODES_KEPT + 2; made += 1) codes.push(await codeFor(first.tokens.operator))
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from login_codes`.execute(first.database)
  expect(rows[0]?.count).toBeLessThanOrEqual(CODES_KEPT)
  expect((await logIn({ code: codes.at(-1) }))[0]).toBe(200)
})

test('neither codes nor tokens are in the database, an event or a log line', async () => {
  const code = await codeFor(first.tokens.admin)
  const { rows } = await sql`select * from login_codes`.execute(first.database)
  await logIn({ code })
  await fetch(`${at[0]}/console/?code=${code}`)
  const events = await first.call({ method: 'GET', url: '/v1/events?limit=1000', as: first.tokens.admin })
  const kept = `${JSON.stringify(rows)}${events.text}${first.log()}`
  expect(kept).toContain('console-opened')
  for (const secret of [first.tokens.admin, first.tokens.operator]) expect(kept).not.toContain(secret)
  expect(`${JSON.stringify(rows)}${events.text}`).not.toContain(code)
})

test('what is no code is refused, and too many wrong ones are', async () => {
  const wrong = () => ({ code: randomBytes(32).toString('base64url') })
  for (const body of [{}, { code: 7 }, { code: '' }, { code: "x' or 1=1" }, { ...wrong(), more: 1 }, [], '{', 'null'])
    expect((await logIn(body, 1))[0]).toBe(400)
  const statuses = await Promise.all(Array.from({ length: 120 }, async () => (await logIn(wrong(), 1))[0]))
  expect(statuses).toContain(401)
  expect((await logIn(wrong(), 1))[0]).toBe(429)
})
