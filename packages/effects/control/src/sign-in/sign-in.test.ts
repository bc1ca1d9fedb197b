// Signing in to the console, against a real OpenID provider.

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BED_TIMEOUT_MS, runRequest } from '../../test/api-bed.ts'
import { CLIENT_SECRET, CONFIDENTIAL_CLIENT, Visitor } from '../../test/identity-provider.ts'
import { FROM_CONSOLE, type SignInBed, signInBed } from '../../test/sign-in-bed.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let rig: SignInBed
beforeAll(async () => {
  rig = await signInBed()
}, 2 * BED_TIMEOUT_MS)
afterAll(() => rig.close())

async function signedIn(login = 'ada'): Promise<Visitor> {
  const visitor = new Visitor()
  expect((await rig.signIn(login, visitor)).status).toBe(302)
  return visitor
}

const principalEvents = async () => {
  const { json } = await rig.bed.call({ method: 'GET', url: '/v1/events?limit=1000', as: rig.bed.tokens.admin })
  return (json.items as { kind: string; actor: string; body: Record<string, string>; stream: string }[]).filter(
    ({ stream }) => stream === 'principals',
  )
}

describe('the way in', () => {
  test('leads to the provider with PKCE, state and nonce, and back to the page where the person was', async () => {
    const visitor = new Visitor()
    const begun = await visitor.visit(`${rig.url}/v1/sign-in?page=${encodeURIComponent('/runs/r-1?tab=log')}`)
    const asked = new URL(begun.headers.get('location') ?? '')
    expect(asked.origin).toBe(rig.provider.issuer)
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: `${rig.url}/v1/sign-in/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(begun.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^ironlaw-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
    ])
    const back = await visitor.signInAt(asked.href, 'ada')
    const answer = await visitor.visit(back.url)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console/#/runs/r-1?tab=log'])
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringContaining('ironlaw-sign-in=; Path=/; Max-Age=0'),
      expect.stringMatching(/^ironlaw=il_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/),
    ])
    const options = await (await visitor.visit(`${rig.url}/v1/sign-in/options`)).json()
    expect(options).toMatchObject({ provider: { host: new URL(rig.provider.issuer).host }, session: { name: 'ada of the tests' } })
    expect((await visitor.visit(`${rig.url}/v1/runs`)).status).toBe(200)
  })

  test.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/runs\r\nset-cookie: x=1', ''])(
    'leads nowhere else: %j',
    async (page) => {
      const answer = await rig.signIn('ada', new Visitor(), page)
      const landed = new URL(answer.headers.get('location') ?? '', rig.url)
      expect([landed.origin, landed.pathname]).toEqual([rig.url, '/console/'])
    },
  )

  test('a code works once, and only in the browser that began', async () => {
    const [visitor, other] = [new Visitor(), new Visitor()]
    const begun = await visitor.visit(`${rig.url}/v1/sign-in`)
    const back = await visitor.signInAt(begun.headers.get('location') ?? '', 'ada')
    const stolen = await other.visit(back.url)
    expect([stolen.status, await stolen.text()]).toEqual([403, expect.stringContaining('not begun in this browser')])
    await other.visit(`${rig.url}/v1/sign-in`)
    expect((await other.visit(back.url)).status).toBe(403)
    const cookie = visitor.cookie(rig.url, 'ironlaw-sign-in') ?? ''
    expect((await visitor.visit(back.url)).status).toBe(302)
    expect((await visitor.visit(back.url)).status).toBe(403)
    visitor.setCookie(rig.url, 'ironlaw-sign-in', cookie)
    expect((await visitor.visit(back.url)).status).toBe(403)
  })

  test('what a provider or anybody else writes into the address is refused, and not shown as it is', async () => {
    const visitor = new Visitor()
    for (const query of [
      '',
      '?error=access_denied&error_description=<script>alert(1)</script>',
      '?code=x',
      '?code=x&state=y',
      '?state=<b>',
    ]) {
      const begun = await visitor.visit(`${rig.url}/v1/sign-in`)
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
      const answer = await visitor.visit(`${rig.url}/v1/sign-in/callback${query.replace('access_denied', `access_denied&state=${state}`)}`)
      const text = await answer.text()
      expect([answer.status, text.includes('<script') || text.includes('<b>')]).toEqual([403, false])
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    }
    for (const cookie of ['x', Buffer.from('{}').toString('base64url'), Buffer.from('{"state":1}').toString('base64url')]) {
      visitor.setCookie(rig.url, 'ironlaw-sign-in', cookie)
      expect((await visitor.visit(`${rig.url}/v1/sign-in/callback?code=x&state=y`)).status).toBe(403)
    }
  })
})

describe('who comes in', () => {
  test('a person of no team reads which groups came and what to do, and the trail has it', async () => {
    const answer = await rig.signIn('eve')
    const text = await answer.text()
    expect(answer.status).toBe(403)
    expect(answer.headers.getSetCookie().join()).not.toContain('il_')
    expect(text).toContain('everybody, &lt;b&gt;marketing&lt;/b&gt;')
    expect(text).toContain('ironlaw get teams')
    expect(await (await rig.signIn('nobody')).text()).toContain('no groups in the claim &quot;groups&quot;')
    const refused = (await principalEvents()).filter(({ kind }) => kind === 'sign-in-refused')
    expect(refused.findLast(({ actor }) => actor === 'oidc:eve')?.body).toMatchObject({ by: 'console', address: '127.0.0.1' })
  })

  test('a session watches events for longer than one check of its validity', async () => {
    const sam = await signedIn('sam')
    const { body } = await sam.visit(`${rig.url}/v1/events`, { headers: { ...FROM_CONSOLE, accept: 'text/event-stream' } })
    const reader = body!.getReader()
    const from = performance.now()
    while (performance.now() - from < 2500) {
      const headers = { ...FROM_CONSOLE, 'content-type': 'application/json' }
      await sam.visit(`${rig.url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify(runRequest({ project: 'search' })) })
      expect((await reader.read()).done).toBe(false)
    }
    await reader.cancel()
  })

  test('a member sees the projects of the team, and a change of the teams acts at once', async () => {
    const sam = await signedIn('sam')
    const create = (project: string) =>
      sam.visit(`${rig.url}/v1/runs`, {
        method: 'POST',
        headers: { ...FROM_CONSOLE, 'content-type': 'application/json' },
        body: JSON.stringify(runRequest({ project })),
      })
    expect((await create('search')).status).toBe(201)
    expect((await create('default')).status).toBe(403)
    expect((await sam.visit(`${rig.url}/v1/tokens`)).status).toBe(403)
    await rig.setTeams({ administrators: ['platform'], teams: [] })
    const refused = await sam.visit(`${rig.url}/v1/runs`)
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { code: 'IL_SIGN_IN', title: expect.stringContaining('search-eng') },
    ])
    await rig.setTeams()
    expect((await sam.visit(`${rig.url}/v1/runs`)).status).toBe(200)
  })

  test('what a session does is in the trail under the person', async () => {
    const ada = await signedIn()
    const made = await ada.visit(`${rig.url}/v1/tokens`, {
      method: 'POST',
      headers: { ...FROM_CONSOLE, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'made', role: 'viewer' }),
    })
    expect(made.status).toBe(201)
    const events = await principalEvents()
    expect(events.findLast(({ kind }) => kind === 'token-created')).toMatchObject({ actor: 'oidc:ada' })
    expect(events.findLast(({ kind }) => kind === 'signed-in')).toMatchObject({ actor: 'oidc:ada', body: { by: 'console' } })
  })
})

describe('a session', () => {
  const asks = async (visitor: Visitor) => (await visitor.visit(`${rig.url}/v1/runs`)).status

  test('is over when its person signs out, and the provider is told where to go', async () => {
    const ada = await signedIn()
    const cookie = ada.cookie(rig.url, 'ironlaw') ?? ''
    const answer = await ada.visit(`${rig.url}/v1/sign-out`, { method: 'POST', headers: FROM_CONSOLE })
    expect(await answer.json()).toMatchObject({ provider: expect.stringContaining(`${rig.provider.issuer}/session/end`) })
    expect(ada.cookie(rig.url, 'ironlaw')).toBeUndefined()
    ada.setCookie(rig.url, 'ironlaw', cookie)
    expect(await asks(ada)).toBe(401)
  })

  test('is over two hours after its last use, and twelve after its start', async () => {
    const [idle, busy] = [await signedIn(), await signedIn()]
    for (let hours = 1; hours < 12; hours += 1) {
      rig.pass(3600)
      expect(await asks(busy)).toBe(200)
      if (hours === 2) expect(await asks(idle)).toBe(401)
    }
    rig.pass(3600)
    expect(await asks(busy)).toBe(401)
    expect(await (await busy.visit(`${rig.url}/v1/sign-in/options`)).json()).not.toHaveProperty('session')
  })

  test('is listed for administrators while it is good for a request, and over when one of them ends it', async () => {
    const call = (method: 'GET' | 'DELETE', url: string, as = rig.bed.tokens.admin) => rig.bed.call({ method, url, as })
    const sessions = async () => (await call('GET', '/v1/sessions')).json.items as { id: string; person: string; kind: string }[]
    const idle = await signedIn()
    rig.pass(2 * 3600)
    const sam = await signedIn('sam')
    const listed = await sessions()
    expect(listed.filter(({ person }) => person === 'oidc:ada')).toEqual([])
    expect(JSON.stringify(listed)).not.toContain(idle.cookie(rig.url, 'ironlaw'))
    const own = listed.filter(({ person }) => person === 'oidc:sam')
    expect(own.at(-1)).toMatchObject({ kind: 'console', name: 'sam of the tests' })
    expect((await call('DELETE', `/v1/sessions/${own.at(-1)?.id}`, rig.bed.tokens.operator)).status).toBe(403)
    expect(await asks(sam)).toBe(200)
    expect((await call('DELETE', `/v1/sessions/${own.at(-1)?.id}`)).status).toBe(204)
    expect(await asks(sam)).toBe(401)
    expect((await call('DELETE', `/v1/sessions/${own.at(-1)?.id}`)).status).toBe(404)
    expect((await principalEvents()).at(-1)).toMatchObject({ kind: 'session-revoked', body: { session: own.at(-1)?.id } })
  })

  test('in a cookie is no token, and a token is no cookie', async () => {
    const secret = (await signedIn()).cookie(rig.url, 'ironlaw') ?? ''
    expect((await rig.bed.call({ method: 'GET', url: '/v1/runs', as: secret })).status).toBe(401)
    const visitor = new Visitor()
    visitor.setCookie(rig.url, 'ironlaw', rig.bed.tokens.admin)
    expect(await asks(visitor)).toBe(401)
  })

  test.each([
    ['no proof', {}],
    ['only the header', { 'x-ironlaw-console': '1' }],
    ['another site', { 'x-ironlaw-console': '1', 'sec-fetch-site': 'cross-site' }],
    ['another port of this host', { 'x-ironlaw-console': '1', 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['no header of ours', { 'sec-fetch-site': 'same-origin' }],
    ['another origin', { 'x-ironlaw-console': '1', origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { 'x-ironlaw-console': '1', origin: 'null' }],
  ])('changes nothing for a request with %s', async (_, headers) => {
    const ada = await signedIn()
    for (const [path, method] of [
      ['/v1/tokens', 'POST'],
      ['/v1/sign-out', 'POST'],
      ['/v1/nodes/n1/drain', 'POST'],
    ] as const)
      expect((await ada.visit(`${rig.url}${path}`, { method, headers })).status).toBe(403)
    expect(await asks(ada)).toBe(200)
  })

  test('changes something for a browser that only says its origin', async () => {
    const ada = await signedIn()
    const headers = { 'x-ironlaw-console': '1', origin: rig.url }
    expect((await ada.visit(`${rig.url}/v1/sign-out`, { method: 'POST', headers })).status).toBe(200)
  })

  test('leaves no secret in the database, an event or a log line', async () => {
    const ada = await signedIn()
    const secret = ada.cookie(rig.url, 'ironlaw') ?? ''
    await ada.visit(`${rig.url}/v1/runs`)
    const { rows } = await sql`select * from sessions`.execute(rig.bed.database)
    const kept = `${JSON.stringify(rows)}${JSON.stringify(await principalEvents())}${rig.bed.log()}`
    expect([kept.includes('oidc:ada'), kept.includes(secret), /code=[\w-]{20}/.test(rig.bed.log())]).toEqual([true, false, false])
  })
})

test('a confidential client proves itself with its secret; with a wrong one, nobody gets in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-client-'))
  const clientSecretFile = join(folder, 'secret')
  for (const [secret, status] of [
    [CLIENT_SECRET, 302],
    ['wrong', 403],
  ] as const) {
    writeFileSync(clientSecretFile, `${secret}\n`)
    const other = await signInBed({ clientId: CONFIDENTIAL_CLIENT, clientSecretFile })
    expect((await other.signIn('ada')).status).toBe(status)
    expect(other.bed.log()).not.toContain(secret)
    await other.close()
  }
  rmSync(folder, { recursive: true })
}, 240_000)

test('groups that only the user information has are found there', async () => {
  const other = await signInBed({ groupsInUserInfo: true })
  expect((await other.signIn('sam')).status).toBe(302)
  await other.close()
}, 120_000)
