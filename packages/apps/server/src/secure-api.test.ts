// The control plane beyond loopback: HTTPS by default, for the commands, for agents and for anyone who trusts the site's authority.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { get as httpGet } from 'node:http'
import { createServer as createSecureServer, get as httpsGet, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { certificateFacts, openAuthority } from '@ironlaw/certificates'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiCertificate } from './api-certificate.ts'

const run = promisify(execFile)
const directory = mkdtempSync(join(tmpdir(), 'ironlaw-secure-'))
const inside = (name: string): string => join(directory, name)
const PORT = 20_000 + Math.floor(Math.random() * 12_000)
const ROOT = resolve(import.meta.dirname, '../../../..')
let child: ChildProcess
let output = ''
let context: { readonly api: string; readonly token: string; readonly ca: string }

beforeAll(async () => {
  const folders = ['database', 'runs', 'logs'].flatMap((name) => [`--${name}`, inside(name)])
  const argv = [...folders, '--context', inside('context.json'), '--listen', `0.0.0.0:${PORT}`, '--no-console-build']
  child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += String(chunk)))
  for (const deadline = Date.now() + 60_000; !output.includes('listening on');) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`did not start: ${output}`)
    await new Promise((wake) => setTimeout(wake, 50))
  }
  context = JSON.parse(readFileSync(inside('context.json'), 'utf8'))
}, 90_000)
afterAll(() => {
  child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

const UNKNOWN = /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)$/

/** The status and headers, or why there is no answer. */
function ask(options: RequestOptions, over = httpsGet): Promise<string> {
  const { promise, resolve: end } = Promise.withResolvers<string>()
  const headers = { authorization: `Bearer ${context.token}` }
  const outgoing = over({ host: '127.0.0.1', port: PORT, path: '/v1/runs', agent: false, headers, ...options }, (answer) => {
    answer.resume()
    end(`${answer.statusCode} ${answer.headers['strict-transport-security'] ?? ''}`)
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  return promise
}

test('it serves HTTPS with a certificate of the authority that it made', async () => {
  expect(context.api).toBe(`https://127.0.0.1:${PORT}`)
  expect(context.ca).toBe(readFileSync(inside('authority/ca.pem'), 'utf8'))
  expect(statSync(inside('authority/ca.key')).mode & 0o777).toBe(0o600)
  expect(await ask({ ca: context.ca })).toBe('200 max-age=31536000')
})

test('a client that does not trust it, one that speaks an old TLS and one that speaks none get no answer', async () => {
  const stranger = await openAuthority(inside('stranger'))
  expect(await ask({})).toMatch(UNKNOWN)
  expect(await ask({ ca: stranger.ca })).toMatch(UNKNOWN)
  expect(await ask({ ca: context.ca, servername: 'elsewhere.example' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  expect(await ask({ ca: context.ca, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })).toMatch(/SSL|EPROTO/)
  expect(await ask({}, httpGet)).toMatch(/^(?:ECONNRESET|HPE_|EPIPE)/)
})

const cli = (environment: NodeJS.ProcessEnv, args: readonly string[] = ['get', '--json']): Promise<string> =>
  run(process.execPath, [join(ROOT, 'packages/apps/cli/src/main.ts'), ...args], {
    env: { PATH: process.env['PATH'], ...environment },
  }).then(
    ({ stdout }) => stdout,
    ({ stderr }: { readonly stderr: string }) => stderr,
  )

test('commands trust it by the context file or IRONLAW_CA, and say what is missing', { timeout: 60_000 }, async () => {
  expect(await cli({ IRONLAW_CONTEXT: inside('context.json') })).toContain('"items"')
  const elsewhere = { IRONLAW_API: context.api, IRONLAW_TOKEN: context.token }
  expect(await cli({ ...elsewhere, IRONLAW_CA: inside('authority/ca.pem') })).toContain('"items"')
  expect(await cli(elsewhere)).toMatch(/IL_UNREACHABLE.*set IRONLAW_CA to its ca.pem/)
})

test('the authority is shown, and issues certificates whose key stays with the administrator', { timeout: 120_000 }, async () => {
  const certificate = (...args: readonly string[]) => cli({ IRONLAW_CONTEXT: inside('context.json') }, ['certificate', ...args])
  const { subject, fingerprint } = certificateFacts(context.ca)
  expect(JSON.parse(await certificate('show', '--json'))).toMatchObject({ ca: context.ca, subject, fingerprint })
  expect(await certificate('show')).toContain(fingerprint)
  expect(await certificate('show', '--pem')).toBe(context.ca)
  const issue = ['issue', '--name', 'localhost', '127.0.0.1', '--out', inside('issued/tls')]
  expect(await certificate(...issue)).toMatch(/cert\.pem is for localhost, 127\.0\.0\.1 until .* its key is .*key\.pem/)
  const read = (name: string): string => readFileSync(inside(`issued/tls/${name}`), 'utf8')
  expect(statSync(inside('issued/tls/key.pem')).mode & 0o777).toBe(0o600)
  expect(read('ca.pem')).toBe(context.ca)
  expect(await statusServedWith({ cert: read('cert.pem'), key: read('key.pem') })).toBe('200 ')
  const first = read('cert.pem')
  expect(await certificate(...issue)).toContain('is there already')
  expect(read('cert.pem')).toBe(first)
  expect(await certificate(...issue, '--replace', '--days', '90', '--usage', 'both')).toContain('cert.pem is for')
  expect(certificateFacts(read('cert.pem')).until_at - Date.now()).toBeGreaterThan(89 * 86_400_000)
  expect(await certificate('issue', '--name', 'not a host', '--out', inside('other'))).toContain('expected a host name or an address')
})

/** What a client that trusts the site gets from a server with this certificate. */
async function statusServedWith(served: { readonly cert: string; readonly key: string }): Promise<string> {
  const server = createSecureServer(served, (_, response) => response.end())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const status = await ask({ ca: context.ca, port: typeof address === 'object' ? address?.port : 0 })
  server.close()
  return status
}

test('agents trust it by the file that IRONLAW_CA names, which any user reads', { timeout: 60_000 }, async () => {
  expect(readFileSync(inside('runs/ca.pem'), 'utf8')).toBe(context.ca)
  expect(statSync(inside('runs/ca.pem')).mode & 0o777).toBe(0o644)
  writeFileSync(inside('token'), context.token)
  const program = `
from ironlaw.agent.api import Api
from ironlaw.environment import Job
import os
answer = Api(Job.read(os.environ)).post("report", b"{}", "application/json")
print(answer.status if answer else None)
`
  const post = (ca: string): Promise<string> =>
    run('/usr/bin/python3', ['-c', program], {
      env: { PYTHONPATH: join(ROOT, 'python'), IRONLAW_RUN: 'none', IRONLAW_RUN_DIR: directory, IRONLAW_API: context.api, IRONLAW_CA: ca },
    }).then(({ stdout }) => stdout.trim())
  expect(await post(inside('runs/ca.pem'))).toMatch(/^40\d$/)
  expect(await post('')).toBe('None')
})

const NO_FLAGS = { 'tls-cert': undefined, 'tls-key': undefined, 'tls-ca': undefined, 'insecure-http': false }
const place = (host: string) => {
  const lines: string[] = []
  return { lines, host, api: undefined, authority: () => openAuthority(inside('other')), tell: (line: string) => lines.push(line) }
}

test('loopback needs no certificate, and plain HTTP beyond it a flag that is warned about', async () => {
  expect(await apiCertificate(NO_FLAGS, place('127.0.0.1'))).toBeUndefined()
  const beyond = place('0.0.0.0')
  expect(await apiCertificate({ ...NO_FLAGS, 'insecure-http': true }, beyond)).toBeUndefined()
  expect(beyond.lines).toEqual([expect.stringContaining('plain HTTP')])
})

test('files are served on loopback too, and half of them is a mistake', async () => {
  const { cert, key } = await (
    await openAuthority(inside('other'))
  ).issue({ holder: 'test server', names: ['a.example'], addresses: [], usage: 'server' })
  writeFileSync(inside('cert.pem'), cert)
  writeFileSync(inside('key.pem'), key)
  const served = await apiCertificate({ ...NO_FLAGS, 'tls-cert': inside('cert.pem'), 'tls-key': inside('key.pem') }, place('127.0.0.1'))
  expect([served?.certificate.current().cert, served?.ca]).toEqual([cert, undefined])
  served?.certificate.close()
  await expect(apiCertificate({ ...NO_FLAGS, 'tls-cert': inside('cert.pem') }, place('127.0.0.1'))).rejects.toThrow('belong together')
})
