// Certificates of the authority before OpenSSL: a real server, real clients.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SecureContextOptions, TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Authority, openAuthority } from './authority.ts'
import { type Certificate, certificateFacts, renewalTime } from './certificate.ts'
import { makeCertificateRequest } from './certificate-request.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-authority-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const DAY_MS = 86_400_000
let site: Authority
let stranger: Authority
beforeAll(async () => {
  site = await openAuthority(join(directory, 'site'))
  stranger = await openAuthority(join(directory, 'stranger'))
})

const HERE = { holder: 'test server', names: ['localhost'], addresses: ['127.0.0.1'], usage: 'server' } as const

/** How one request ends: its answer, or why there is none. */
async function ask(server: Certificate, client: SecureContextOptions, host = '127.0.0.1'): Promise<string> {
  const mutual = { requestCert: true, rejectUnauthorized: true, ca: site.ca }
  const listener = createServer({ cert: server.cert, key: server.key, ...(server.ca !== undefined && mutual) }, (incoming, response) => {
    response.end((incoming.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody')
  })
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const { promise, resolve } = Promise.withResolvers<string>()
  const outgoing = request({ host, port, agent: false, ...client }, (answer) => {
    let text = ''
    answer.on('data', (part: Buffer) => (text += String(part))).on('end', () => resolve(text))
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  outgoing.end()
  const answer = await promise
  listener.closeAllConnections()
  listener.close()
  return answer
}

const plain = async (claims: Parameters<Authority['issue']>[0], from = site): Promise<Certificate> => {
  const { cert, key } = await from.issue(claims)
  return { cert, key }
}

test('it is made once, and only its owner reads the key', async () => {
  const [one, other] = await Promise.all([openAuthority(join(directory, 'new')), openAuthority(join(directory, 'new'))])
  expect(one.ca).toBe(other.ca)
  expect((await openAuthority(join(directory, 'new'))).ca).toBe(one.ca)
  expect(statSync(join(directory, 'new')).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, 'new/ca.key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(directory).filter((name) => name.includes('.new'))).toEqual([])
})

test('a client that trusts the authority is answered by name and by address, and by no other', async () => {
  const server = await plain(HERE)
  expect(await ask(server, { ca: site.ca })).toBe('nobody')
  expect(await ask(server, { ca: site.ca }, 'localhost')).toBe('nobody')
  const elsewhere = await plain({ ...HERE, names: ['gateway.example'], addresses: ['192.0.2.1'] })
  expect(await ask(elsewhere, { ca: site.ca })).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
})

test('another authority, an expired certificate and one for clients are refused', async () => {
  expect(await ask(await plain(HERE), { ca: stranger.ca })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  expect(await ask(await plain(HERE, stranger), { ca: site.ca })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  const past = await openAuthority(join(directory, 'site'), () => Date.now() - 2 * DAY_MS)
  expect(await ask(await plain({ ...HERE, days: 1 }, past), { ca: site.ca })).toBe('CERT_HAS_EXPIRED')
  expect(await ask(await plain({ ...HERE, usage: 'client' }), { ca: site.ca })).toBe('INVALID_PURPOSE')
})

test('an engine answers only clients with a certificate of the site that is for clients', async () => {
  const engine = await site.issue(HERE)
  const gateway = await plain({ holder: 'gateway gw-1', names: [], addresses: [], usage: 'client' })
  expect(await ask(engine, { ca: site.ca, ...gateway })).toBe('gateway gw-1')
  const refused = /^(?:ERR_SSL_|ECONNRESET|EPIPE|EPROTO)/
  expect(await ask(engine, { ca: site.ca })).toMatch(refused)
  expect(await ask(engine, { ca: site.ca, ...(await plain(HERE)) })).toMatch(refused)
  expect(await ask(engine, { ca: site.ca, ...(await plain({ ...HERE, usage: 'client' }, stranger)) })).toMatch(refused)
})

test('a certificate lasts 30 days unless said, is renewed after two thirds, and no name stands in its subject', async () => {
  const { cert } = await site.issue(HERE)
  const { subject, names, until_at } = certificateFacts(cert)
  expect(Math.round((until_at - Date.now()) / DAY_MS)).toBe(30)
  expect(Math.round((renewalTime(cert) - Date.now()) / DAY_MS)).toBe(20)
  expect([subject, names]).toEqual(['O=Ironlaw, CN=test server', ['localhost', '127.0.0.1']])
})

test.each([
  ['a name that is none', { ...HERE, names: ['a b'] }],
  ['a wildcard', { ...HERE, names: ['*.example'] }],
  ['an address as a name', { ...HERE, names: ['10.0.0.1'] }],
  ['an address that is none', { ...HERE, addresses: ['10.0.0'] }],
  ['a holder that could be a host', { ...HERE, holder: 'api.example' }],
  ['a holder with a second subject', { ...HERE, holder: 'gateway a, CN=b' }],
])('%s is refused', async (_, claims) => {
  await expect(site.issue(claims)).rejects.toThrow(expect.objectContaining({ code: 'IL_INVALID' }))
})

test('a request that another key signed is refused', async () => {
  const { request: pem } = await makeCertificateRequest()
  const der = Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ''), 'base64')
  // The last byte of the signature.
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
  const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
  await expect(site.sign(forged, HERE)).rejects.toThrow('not signed with its own key')
  await expect(site.sign('hello', HERE)).rejects.toThrow('expected a certificate request')
  expect(certificateFacts(await site.sign(pem, HERE)).names).toEqual(['localhost', '127.0.0.1'])
})
