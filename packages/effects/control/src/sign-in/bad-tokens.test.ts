// ID tokens that must not open a session, from a provider that sends whatever it is told to.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { type DishonestProvider, dishonestProvider, type Token } from '../../test/dishonest-provider.ts'
import { Visitor } from '../../test/identity-provider.ts'
import { storeTeams, TEAMS } from '../../test/sign-in-bed.ts'
import { sparePort } from '../../test/spare-port.ts'
import type { SignInSettings } from './settings.ts'

const CLIENT = 'ironlaw'
const now = Math.floor(Date.now() / 1000)

let provider: DishonestProvider
let bed: ApiBed
let url = ''
async function openBed(over: Partial<SignInSettings> = {}): Promise<ApiBed> {
  const { port } = new URL(url)
  const settings = { issuer: provider.issuer, clientId: CLIENT, groupsClaim: 'groups', scopes: 'openid', publicUrl: () => url, ...over }
  const opened = await apiBed({ signIn: settings, now: () => Date.now() / 1000, ...(bed && { database: bed.database }) })
  if (!bed) await opened.api.listen({ host: '127.0.0.1', port: Number(port) })
  return opened
}
beforeAll(async () => {
  url = `http://127.0.0.1:${await sparePort()}`
  provider = await dishonestProvider(CLIENT)
  bed = await openBed()
  await storeTeams(bed, TEAMS)
}, 2 * BED_TIMEOUT_MS)
afterAll(async () => {
  await bed.close()
  await provider.close()
})

async function signInWith(token: Token | undefined): Promise<readonly [number, string]> {
  provider.answerWith(token)
  const visitor = new Visitor()
  const begun = await visitor.visit(`${url}/v1/sign-in`)
  const back = await visitor.signInAt(begun.headers.get('location') ?? '', '')
  const answer = await visitor.visit(back.url)
  expect(visitor.cookie(url, 'ironlaw') === undefined).toBe(answer.status !== 302)
  return [answer.status, await answer.text()]
}

test('a right token opens a session', async () => {
  expect((await signInWith({}))[0]).toBe(302)
})

const WRONG: readonly (readonly [string, Token | undefined])[] = [
  ['no token', undefined],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['no issuer', { claims: { iss: undefined } }],
  ['another audience', { claims: { aud: 'another-client' } }],
  ['another audience in a list', { claims: { aud: ['another-client'] } }],
  ['two audiences and another authorised party', { claims: { aud: [CLIENT, 'another-client'], azp: 'another-client' } }],
  ['no audience', { claims: { aud: undefined } }],
  ['another nonce', { claims: { nonce: 'of-somebody-else' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['an hour too old', { claims: { iat: now - 7200, exp: now - 3600 } }],
  ['no expiry', { claims: { exp: undefined } }],
  ['an expiry that is text', { claims: { exp: 'never' } }],
  ['not valid yet', { claims: { nbf: now + 3600 } }],
  ['no subject', { claims: { sub: undefined } }],
  ['a subject that is no text', { claims: { sub: 7 } }],
  ['no time of issue', { claims: { iat: undefined } }],
  ['no signature, and "none" in its header', { header: { alg: 'none' }, signature: 'none' }],
  ['no signature, and "None" in its header', { header: { alg: 'None' }, signature: 'none' }],
  ['no signature', { signature: 'none' }],
  ['the signature of another text', { signature: 'damaged' }],
  ['the signature of a key that is not published', { signature: 'foreign' }],
  ['the signature of such a key under its own name', { header: { kid: 'other' }, signature: 'foreign' }],
  ['a MAC with the public key', { header: { alg: 'HS256' }, signature: 'mac' }],
  ['an algorithm that was not agreed', { header: { alg: 'RS512' } }],
  ['an unknown critical header', { header: { crit: ['x'], x: 1 } }],
]

test.each(WRONG)('refused: %s', async (_, token) => {
  const [status, text] = await signInWith(token)
  expect([status, text]).toEqual([403, expect.stringContaining('Not signed in')])
})

test('refused: "none", also where the provider lists it as supported', async () => {
  provider.claim({ id_token_signing_alg_values_supported: ['none', 'RS256'] })
  const other = await openBed()
  const begun = await other.call({ method: 'GET', url: '/v1/sign-in' })
  provider.answerWith({ header: { alg: 'none' }, signature: 'none' })
  const back = new URL((await new Visitor().signInAt(String(begun.headers['location']), '')).url)
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? ''
  const answer = await other.call({ method: 'GET', url: `${back.pathname}${back.search}`, headers: { cookie } })
  expect(answer.status).toBe(403)
  provider.claim({})
  await other.api.close()
})

test('each refusal is in the trail with its reason, and a flood of them is not', async () => {
  for (let times = 0; times < 30; times += 1) await bed.call({ method: 'GET', url: '/v1/sign-in/callback?code=x&state=y' })
  const { json } = await bed.call({ method: 'GET', url: '/v1/events?limit=1000', as: bed.tokens.admin })
  const refused = (json.items as { kind: string; body: { reason: string } }[]).filter(({ kind }) => kind === 'sign-in-refused')
  expect(refused.length).toBeGreaterThan(10)
  expect(refused.length).toBeLessThanOrEqual(25)
  expect(refused.every(({ body: { reason } }) => reason.startsWith('sign-in was refused: ') && reason.length < 300)).toBe(true)
})

test('a provider that is away is no refusal; the next sign-in asks again', async () => {
  const issuer = `http://127.0.0.1:${await sparePort()}`
  const other = await openBed({ issuer })
  const answer = await other.call({ method: 'GET', url: '/v1/sign-in' })
  expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('does not answer')])
  expect((await other.call({ method: 'GET', url: '/v1/sign-in/options' })).json).toEqual({ provider: { host: new URL(issuer).host } })
  expect((await other.call({ method: 'GET', url: '/v1/runs', as: bed.tokens.viewer })).status).toBe(200)
  await other.api.close()
})

test('metadata of another issuer is not taken', async () => {
  provider.claim({ issuer: 'https://evil.example' })
  const other = await openBed()
  expect((await other.call({ method: 'GET', url: '/v1/sign-in' })).status).toBe(503)
  provider.claim({})
  expect((await other.call({ method: 'GET', url: '/v1/sign-in' })).status).toBe(302)
  await other.api.close()
})

test('over HTTPS the cookies are bound to this host and never sent in clear', async () => {
  const other = await openBed({ publicUrl: () => 'https://ironlaw.example.org' })
  const answer = await other.call({ method: 'GET', url: '/v1/sign-in' })
  expect(answer.headers['set-cookie']).toMatch(/^__Host-ironlaw-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/)
  expect(new URL(String(answer.headers['location'])).searchParams.get('redirect_uri')).toBe(
    'https://ironlaw.example.org/v1/sign-in/callback',
  )
  await other.api.close()
})
