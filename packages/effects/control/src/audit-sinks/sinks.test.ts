// Each kind of target against a real listener, and what becomes of lines while it is away.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTls } from 'node:tls'
import { openAuthority } from '@ironlaw/certificates'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { auditOutput } from './audit-output.ts'
import { auditTargets } from './audit-target.ts'
import type { AuditLine, AuditSink } from './sink.ts'
import { syslogMessage } from './syslog-sink.ts'

let folder = ''
let certificate: { readonly key: string; readonly cert: string; readonly file: string }
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-sinks-'))
  const authority = await openAuthority(join(folder, 'authority'))
  const { key, cert, ca } = await authority.issue({ holder: 'a listener', names: [], addresses: ['127.0.0.1'], usage: 'server' })
  certificate = { key, cert, file: join(folder, 'ca.pem') }
  writeFileSync(certificate.file, ca)
})
afterAll(() => rmSync(folder, { recursive: true }))

const line = (number: number, isRefusal = false): AuditLine => ({
  at: 1_000_000 + number,
  isRefusal,
  text: JSON.stringify({ number, word: 'ü' }),
})

const only = (text: string, token?: string): AuditSink => {
  const [target] = auditTargets(text, token === undefined ? {} : { token })
  if (!target) throw new Error('no target')
  return target.sink
}

const portOf = (server: { address: () => AddressInfo | string | null }): number => (server.address() as AddressInfo).port

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server)
}

test('a message is as RFC 5424 has it, with the facility of audits', () => {
  expect(syslogMessage(line(1), 'plane-1')).toBe(
    `<109>1 1970-01-12T13:46:41.000Z plane-1 ironlaw ${process.pid} audit - {"number":1,"word":"ü"}`,
  )
  expect(syslogMessage(line(1, true), 'a b')).toMatch(/^<108>1 \S+ ab ironlaw /)
})

test('a file has a line each, is readable by its owner only, and is made again after rotation', async () => {
  const path = join(folder, 'audit.jsonl')
  const sink = only(`file:${path}`)
  await sink.write([line(1), line(2)])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toBe(`${line(1).text}\n${line(2).text}\n`)
  rmSync(path)
  await sink.write([line(3)])
  expect(readFileSync(path, 'utf8')).toBe(`${line(3).text}\n`)
})

test('syslog over UDP: a datagram each', async () => {
  const server = createSocket('udp4')
  const received: string[] = []
  server.on('message', (message) => received.push(message.toString('utf8')))
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const sink = only(`syslog:udp://127.0.0.1:${server.address().port}`)
  await sink.write([line(1), line(2)])
  await vi.waitFor(() => expect(received).toEqual([syslogMessage(line(1)), syslogMessage(line(2))]))
  sink.close()
  server.close()
})

/** Octet counting of RFC 6587. */
function messagesIn(bytes: Buffer): readonly string[] {
  const found: string[] = []
  for (let rest = bytes; rest.length > 0;) {
    const space = rest.indexOf(' ')
    const end = space + 1 + Number(rest.subarray(0, space).toString())
    found.push(rest.subarray(space + 1, end).toString('utf8'))
    rest = rest.subarray(end)
  }
  return found
}

test.each(['tcp', 'tls'] as const)('syslog over %s: counted octets, and a new connection after one that broke', async (transport) => {
  let received = Buffer.alloc(0)
  const sockets = new Set<Socket>()
  const take = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('data', (bytes) => (received = Buffer.concat([received, bytes])))
    socket.on('error', () => undefined)
  }
  const server = transport === 'tcp' ? createServer(take) : createTls(certificate, take)
  const port = await listening(server)
  const sink = only(`syslog:${transport}://127.0.0.1:${port}${transport === 'tls' ? `?ca=${certificate.file}` : ''}`)
  await sink.write([line(1), line(2, true)])
  await vi.waitFor(() => expect(messagesIn(received)).toEqual([syslogMessage(line(1)), syslogMessage(line(2, true))]))
  for (const socket of sockets) socket.destroy()
  received = Buffer.alloc(0)
  // A broken connection shows at a write or before it: the output tries again.
  await vi.waitFor(async () => {
    await sink.write([line(3)])
    expect(messagesIn(received)).toContain(syslogMessage(line(3)))
  })
  sink.close()
  for (const socket of sockets) socket.destroy()
  server.close()
})

test('syslog over TLS refuses a certificate that nobody vouched for', async () => {
  const server = createTls(certificate)
  server.on('tlsClientError', () => undefined)
  const port = await listening(server)
  await expect(only(`syslog:tls://127.0.0.1:${port}`).write([line(1)])).rejects.toThrow('verify')
  server.close()
})

test('https: a POST with the token, which only a status of success takes', async () => {
  const bodies: string[] = []
  let status = 204
  const server = createHttps(certificate, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      bodies.push(`${request.headers.authorization} ${request.headers['content-type']} ${body}`)
      response.writeHead(status).end()
    })
  })
  const port = await listening(server)
  const sink = only(`https://127.0.0.1:${port}/audit?ca=${certificate.file}`, 'word')
  await sink.write([line(1), line(2)])
  expect(bodies).toEqual([`Bearer word application/x-ndjson ${line(1).text}\n${line(2).text}\n`])
  status = 500
  await expect(sink.write([line(3)])).rejects.toThrow('it answered 500')
  server.closeAllConnections()
  server.close()
})

test.each(['audit.jsonl', 'file:', 'syslog:514', 'syslog:sctp://a:1', 'http://example.com/audit', 'ftp://a/b', 'https://a/?ca=/absent'])(
  '%s is refused',
  (text) => {
    expect(() => auditTargets(text)).toThrow(`--audit-to ${text}: `)
  },
)

test('several targets, of which names show no query', () => {
  const names = auditTargets('file:/a,b.jsonl,syslog:tcp://log:1601,https://hook/x?key=secret').map(({ name }) => name)
  expect(names).toEqual(['file:/a,b.jsonl', 'syslog:tcp://log:1601', 'https://hook/x'])
})

test('a target that is away: lines wait, the oldest are dropped and counted, and it is told when it is back', async () => {
  let isAway = true
  const taken: string[] = []
  const problems: string[] = []
  const write: AuditSink['write'] = async (lines) => {
    if (isAway) throw new Error('away')
    taken.push(...lines.map(({ text }) => text))
  }
  const output = auditOutput(
    { name: 'target', sink: { write, close: () => undefined } },
    { now: () => 1_000_100, logProblem: (problem) => problems.push(problem), most: 3, retry_ms: { first: 1, most: 4 } },
  )
  output.send([1, 2, 3, 4, 5].map((number) => line(number)))
  await vi.waitFor(() => expect(output.view().problem).toBe('away'))
  expect(output.view()).toEqual({ target: 'target', sent: 0, waiting: 3, dropped: 2, lag_s: 97, problem: 'away' })
  isAway = false
  await vi.waitFor(() => expect(output.view()).toEqual({ target: 'target', sent: 3, waiting: 0, dropped: 2, lag_s: 0 }))
  expect(taken).toEqual([JSON.stringify({ type: 'dropped', at: 1_000_100, count: 2 }), ...[3, 4, 5].map((number) => line(number).text)])
  expect(problems).toHaveLength(1)
  output.send([line(6)])
  await output.close(1000)
  expect(taken.at(-1)).toBe(line(6).text)
})
