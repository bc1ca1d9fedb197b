// Certificates that change under a server which answers all the while.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import { openAuthority } from './authority.ts'
import { type Certificate, certificateFacts } from './certificate.ts'
import { followCertificate, renewCertificate, secureOptions, watchCertificate } from './live-certificate.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-live-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const authority = await openAuthority(join(directory, 'authority'))
const HERE = { holder: 'test server', names: ['localhost'], addresses: ['127.0.0.1'], usage: 'server' } as const
const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }

function put(part: 'cert' | 'key', text: string): void {
  writeFileSync(`${files[part]}.new`, text)
  renameSync(`${files[part]}.new`, files[part])
}

async function replace(days: number): Promise<Certificate> {
  const next = await authority.issue({ ...HERE, days })
  put('cert', next.cert)
  put('key', next.key)
  return next
}

/** The serial number that the server showed. */
function ask(port: number, agent: Agent): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const outgoing = request({ host: '127.0.0.1', port, agent, ca: authority.ca }, (answer) => {
    const { fingerprint256 } = (answer.socket as TLSSocket).getPeerCertificate()
    answer.resume().on('end', () => resolve(fingerprint256 ?? ''))
  })
  outgoing.on('error', reject)
  outgoing.end()
  return promise
}

test('rotation under requests loses none, on kept connections and on new ones', async () => {
  await replace(1)
  const problems: string[] = []
  const live = await watchCertificate(files, { tell: (line) => problems.push(line), every_ms: 5 })
  const server = createServer(secureOptions(live.current()), (_, response) => response.end('ok'))
  followCertificate(server, live)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agents = [new Agent({ keepAlive: true, maxSockets: 2 }), new Agent({ keepAlive: false, maxCachedSessions: 0 })]
  const shown = new Set<string>()
  let [lost, answered] = [0, 0]
  const ending = new AbortController()
  const clients = agents.map(async (agent) => {
    while (!ending.signal.aborted) {
      const seen = await ask(port, agent).catch(() => undefined)
      if (seen === undefined) lost += 1
      else shown.add(seen)
      answered += 1
    }
  })
  for (let round = 2; round <= 6; round += 1) {
    const next = certificateFacts((await replace(round)).cert).fingerprint
    while (!shown.has(next)) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  ending.abort()
  await Promise.all(clients)
  expect([lost, answered > 20, shown.size >= 6]).toEqual([0, true, true])
  for (const agent of agents) agent.destroy()
  server.close()
  live.close()
})

test('half of a pair leaves the old one in use and says so once; the other half brings the new one', async () => {
  const before = await replace(1)
  const problems: string[] = []
  const live = await watchCertificate(files, { tell: (line) => problems.push(line), every_ms: 60_000 })
  const next = await authority.issue({ ...HERE, days: 2 })
  put('cert', next.cert)
  await live.look()
  await live.look()
  expect(live.current().cert).toBe(before.cert)
  expect(problems).toEqual([expect.stringContaining('the private key is not that of the certificate')])
  put('key', next.key)
  await live.look()
  expect(live.current()).toEqual({ cert: next.cert, key: next.key })
  rmSync(files.key)
  await live.look()
  expect(live.current().cert).toBe(next.cert)
  expect(problems.at(-1)).toContain('no such file')
  live.close()
})

test('files that are not there or no pair are refused at the start', async () => {
  const none = watchCertificate({ cert: join(directory, 'none.pem'), key: files.key }, { tell: () => undefined })
  await expect(none).rejects.toThrow(expect.objectContaining({ code: 'IL_FILE' }))
  await replace(1)
  put('key', (await authority.issue(HERE)).key)
  await expect(watchCertificate(files, { tell: () => undefined })).rejects.toThrow(expect.objectContaining({ code: 'IL_DOCUMENT' }))
})

test('a certificate is renewed after two thirds of its life; a failure keeps the old one and is tried again', async () => {
  const old = await openAuthority(join(directory, 'authority'), () => Date.now() - 25 * 86_400_000)
  const first = await old.issue(HERE)
  const problems: string[] = []
  let isAway = true
  const issue = async (): Promise<Certificate> => {
    if (isAway) throw new Error('the control plane is away')
    return authority.issue(HERE)
  }
  const live = await renewCertificate(issue, { first, tell: (line) => problems.push(line), every_ms: 60_000 })
  await live.look()
  await live.look()
  expect([live.current().cert, problems.length]).toEqual([first.cert, 1])
  isAway = false
  await live.look()
  const renewed = live.current().cert
  expect(renewed).not.toBe(first.cert)
  await live.look()
  expect(live.current().cert).toBe(renewed)
  live.close()
})
