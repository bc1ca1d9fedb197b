// Gateway, control plane and engine over TLS: the gateway enrols, and clients and engines check it.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type LiveCertificate, openAuthority, renewCertificate } from '@ironlaw/certificates'
import { SimulatedEngine } from '@ironlaw/engines/simulated'
import { startEngineHost } from '@ironlaw/engines'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../packages/effects/control/test/api-bed.ts'
import { enrol, listenNames } from '../packages/effects/gateway/src/configuration/enrolment.ts'
import { KEY, snapshotOf, startWithSnapshot } from '../packages/effects/gateway/test/setting.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-secure-gateway-'))
let bed: ApiBed
let api = ''
beforeAll(async () => {
  bed = await apiBed()
  api = await bed.api.listen({ host: '127.0.0.1', port: 0 })
}, BED_TIMEOUT_MS)
afterAll(async () => {
  await bed.close()
  rmSync(directory, { recursive: true, force: true })
})

const simulatedEngine = (): SimulatedEngine =>
  new SimulatedEngine({ model: { id: 'm', context_tokens: 4096, slots: 8 }, step_s: () => 0.001, prefill_s_per_token: 0 })

const tell = (line: string): void => void line

const enrolled = (id: string): Promise<LiveCertificate | undefined> =>
  enrol({
    url: `${api}/v1/gateways/${id}/certificate`,
    token: () => bed.tokens.operator,
    keepAt: join(directory, `${id}.json`),
    ...listenNames('127.0.0.1', 'localhost'),
    tell,
  })

type Ask = { readonly agent: Agent; readonly ca: string }

/** The status, or why there is none. */
function ask(url: string, { agent, ca }: Ask): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const outgoing = request(`${url}/v1/chat/completions`, { method: 'POST', agent, ca, headers }, (answer) => {
    answer.resume().on('end', () => resolve(String(answer.statusCode)))
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  outgoing.end(JSON.stringify({ model: 'm', max_tokens: 2, messages: [{ role: 'user', content: 'hello' }] }))
  return promise
}

test('clients, gateway and engine speak TLS, and the engine answers only gateways of the site', { timeout: 60_000 }, async () => {
  const gatewayCertificate = await enrolled('gw-1')
  if (!gatewayCertificate) throw new Error('no certificate')
  expect(statSync(join(directory, 'gw-1.json')).mode & 0o777).toBe(0o600)
  const { ca = '' } = gatewayCertificate.current()
  const site = await openAuthority(join(directory, 'stranger'))
  const engineCertificate = await enrolled('engine-1')
  if (!engineCertificate) throw new Error('no certificate')
  const engine = await startEngineHost({ engine: simulatedEngine(), certificate: engineCertificate })
  await engine.warm()
  expect(engine.url).toMatch(/^https:/)
  const snapshot = snapshotOf([engine.url])
  const gateway = await startWithSnapshot(snapshot, { certificate: gatewayCertificate, engineIdentity: gatewayCertificate })
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: false, maxCachedSessions: 0 })]
  expect(await ask(gateway.url, { agent: new Agent(), ca: site.ca })).toMatch(/CERT|VERIFY/)
  const outcomes: string[] = []
  const ending = new AbortController()
  const clients = agents.map(async (agent) => {
    while (!ending.signal.aborted) outcomes.push(await ask(gateway.url, { agent, ca }))
  })
  while (outcomes.length < 20) await new Promise((wake) => setTimeout(wake, 5))
  ending.abort()
  await Promise.all(clients)
  expect(new Set(outcomes)).toEqual(new Set(['200']))
  await gateway.stop({ drain_s: 0 })

  // Without a certificate of the site the engine answers nobody.
  const stranger = await renewCertificate(() => site.issue({ holder: 'gateway x', names: [], addresses: [], usage: 'client' }), { tell })
  const other = await startWithSnapshot(snapshot, {
    certificate: gatewayCertificate,
    engineIdentity: { ...stranger, current: () => ({ ...stranger.current(), ca }) },
  })
  expect(await ask(other.url, { agent: new Agent(), ca })).toMatch(/^5/)
  await other.stop({ drain_s: 0 })
  await engine.stop({ drain_s: 0 })
})

/** What a command prints. */
async function ironlaw(
  args: readonly string[],
  { context, input = '' }: { readonly context: string; readonly input?: string },
): Promise<string> {
  const main = join(import.meta.dirname, '../packages/apps/cli/src/main.ts')
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], IRONLAW_CONTEXT: context, IRONLAW_KEY: KEY },
  })
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return stdout + stderr
}

test('chat and bench trust the authority of the current context, or the one that they are given', { timeout: 180_000 }, async () => {
  const certificate = await enrolled('gw-4')
  if (!certificate) throw new Error('no certificate')
  const { ca = '' } = certificate.current()
  const engine = await startEngineHost({ engine: simulatedEngine() })
  await engine.warm()
  const gateway = await startWithSnapshot(snapshotOf([engine.url]), { certificate })
  const context = join(directory, 'context.json')
  const of = (name: string, more: object): object => ({ name, api, token: bed.tokens.viewer, others: {}, ...more })
  const at = ['--gateway', gateway.url]
  const asked = { context, input: 'hello\n' }
  const chat = ['chat', 'm', '--max-tokens', '4', ...at]

  writeFileSync(context, JSON.stringify(of('site', { ca })))
  const answer = await ironlaw(chat, asked)
  expect(answer.trim()).not.toBe('')
  expect(answer).not.toContain('IL_')
  const bench = ['bench', 'serve', 'm', '--scenario', 'single-stream', '--seconds', '1', '--warm-up', '1', '--output', '4', '--json', ...at]
  expect(await ironlaw(bench, { context })).toContain('"tpot_s"')

  writeFileSync(context, JSON.stringify(of('site', {})))
  expect(await ironlaw(chat, asked)).toMatch(/IL_NO_GATEWAY[\s\S]*set IRONLAW_CA to its ca.pem, or pass --ca FILE/)
  writeFileSync(join(directory, 'ca.pem'), ca)
  expect(await ironlaw([...chat, '--ca', join(directory, 'ca.pem')], asked)).toBe(answer)
  await gateway.stop({ drain_s: 0 })
  await engine.stop({ drain_s: 0 })
})

test('a certificate that is kept is used again; a request that no key signed gets none', async () => {
  const first = await enrolled('gw-2')
  const second = await enrolled('gw-2')
  expect(second?.current()).toEqual(first?.current())
  const refused = await bed.call({
    method: 'POST',
    url: '/v1/gateways/gw-3/certificate',
    as: bed.tokens.operator,
    body: { request: 'none' },
  })
  expect(refused.status).toBe(400)
})
