import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Gateway } from '../index.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { type EngineStub, startEngineStub } from '../../test/engine-stub.ts'
import { chatBody, KEY, OTHER_KEY, post, snapshotOf, startWithSnapshot, until } from '../../test/setting.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

type SnapshotOverrides = NonNullable<Parameters<typeof snapshotOf>[1]>

async function startSetting(
  over: SnapshotOverrides = {},
  options: Parameters<typeof startWithSnapshot>[1] = {},
): Promise<{ gateway: Gateway; engine: EngineStub }> {
  const engine = await startEngineStub()
  opened.push(engine.stop)
  const gateway = await startWithSnapshot(snapshotOf([engine.url], over), options)
  opened.push(() => gateway.stop({ drain_s: 0 }))
  return { gateway, engine }
}

type Line = { readonly socket: Socket; text: string; closed: boolean }

function openLine({ url }: Gateway, options: { readonly allowHalfOpen?: boolean } = {}): Line {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ...options })
  const one: Line = { socket, text: '', closed: false }
  socket.on('data', (data) => (one.text += data.toString('latin1')))
  socket.on('error', () => undefined)
  socket.on('close', () => (one.closed = true))
  opened.push(async () => void socket.destroy())
  return one
}

const head = (length: number | 'chunked', key?: string): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${key === undefined ? '' : `authorization: Bearer ${key}\r\n`}${length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`}\r\n\r\n`
const statusOf = ({ text }: Line): string => text.slice(9, 12)
const MIB = 2 ** 20

describe('a refused client does not hold a connection', () => {
  test('without a key: answered and closed, however much body is announced and however slowly it comes', async () => {
    const { gateway } = await startSetting()
    for (const length of [10 ** 12, 'chunked'] as const) {
      const lines = Array.from({ length: 50 }, () => openLine(gateway))
      for (const { socket } of lines) socket.write(head(length) + (length === 'chunked' ? '1\r\n{\r\n' : '{'))
      await until(() => lines.every((one) => statusOf(one) === '401'))
      await until(() => lines.every(({ closed }) => closed))
    }
    await until(() => gateway.metrics.connections === 0)
  })

  test('a small body that never comes to its end is given five seconds', async () => {
    const { gateway } = await startSetting()
    const slow = openLine(gateway)
    slow.socket.write(`${head(100)}{`)
    await until(() => statusOf(slow) === '401')
    await until(() => slow.closed)
  })

  test('a small body that does come leaves the connection usable', async () => {
    const { gateway } = await startSetting()
    const one = openLine(gateway)
    const body = JSON.stringify(chatBody('tokens=1'))
    one.socket.write(head(body.length, 'sk-wrong') + body)
    await until(() => statusOf(one) === '401')
    one.text = ''
    one.socket.write(head(body.length, KEY) + body)
    await until(() => statusOf(one) === '200')
  })

  test('a client that sends too much can read why', async () => {
    const { gateway } = await startSetting({ limits: { body_bytes: MIB } })
    for (let round = 0; round < 5; round += 1) {
      const answer = await post(gateway, chatBody('x'.repeat(3 * MIB)))
      expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close'])
    }
  })

  test('what is no HTTP: answered and closed, even when the client ignores the end', async () => {
    const { gateway } = await startSetting()
    const lines = Array.from({ length: 20 }, () => openLine(gateway, { allowHalfOpen: true }))
    for (const { socket } of lines) socket.write('this is no request\r\n\r\n')
    await until(() => lines.every((one) => statusOf(one) === '400'))
    await until(() => gateway.metrics.connections === 0)
  })

  test('what is no HTTP behind a request whose stream runs: closed, and nothing is written into the stream', async () => {
    const { gateway } = await startSetting()
    const one = openLine(gateway, { allowHalfOpen: true })
    const body = JSON.stringify({ ...chatBody('tokens=1000 pace=20'), stream: true })
    one.socket.write(head(body.length, KEY) + body)
    await until(() => one.text.includes('data: '))
    one.socket.write('this is no request\r\n\r\n')
    await until(() => gateway.metrics.connections === 0)
    expect(one.text).not.toContain('400 Bad Request')
  })

  test('more connections than the limit are closed as they come, and counted', async () => {
    const { gateway } = await startSetting({}, { max_connections: 10 })
    const lines = Array.from({ length: 30 }, () => openLine(gateway))
    await until(() => lines.filter(({ closed }) => closed).length === 20)
    expect(gateway.metrics.counterValue('connections_refused')).toBe(20)
    for (const { socket } of lines) socket.destroy()
    await until(() => gateway.metrics.connections === 0)
    expect((await post(gateway, chatBody('tokens=1'))).status).toBe(200)
  })
})

describe('quota is taken before the body is read', () => {
  test('a tenant with one request a minute holds one body, whatever it opens', async () => {
    const { gateway } = await startSetting({ tenant: { requests_per_minute: 1 } })
    const lines = Array.from({ length: 40 }, () => openLine(gateway))
    for (const { socket } of lines) socket.write(head(4 * MIB, KEY) + ' '.repeat(MIB))
    await until(() => lines.filter((one) => statusOf(one) === '429').length === 39)
    await until(() => lines.filter(({ closed }) => closed).length === 39)
    expect((await post(gateway, chatBody('tokens=1'), { key: OTHER_KEY })).status).toBe(200)
  })

  test('a body that is being read counts as a request at once, and no longer when its client leaves', async () => {
    const { gateway } = await startSetting({ tenant: { concurrency: 1 } })
    const reading = openLine(gateway)
    reading.socket.write(`${head(1000, KEY)}{`)
    await until(() => gateway.metrics.connections === 1)
    let refused = await post(gateway, chatBody('tokens=1'))
    while (refused.status === 200) refused = await post(gateway, chatBody('tokens=1'))
    expect(refused.status).toBe(429)
    reading.socket.destroy()
    await until(() => gateway.metrics.connections <= 1)
    for (let look = 0; refused.status === 429 && look < 100; look += 1) refused = await post(gateway, chatBody('tokens=1'))
    expect(refused.status).toBe(200)
  })
})

describe('bytes held are bounded', () => {
  test('bodies of one tenant: 429 beyond its half, others are served, and all is given back', async () => {
    const { gateway } = await startSetting({}, { held_bytes: 16 * MIB })
    const lines = Array.from({ length: 12 }, () => openLine(gateway))
    for (const { socket } of lines) socket.write(head(2 * MIB, KEY) + ' '.repeat(2 * MIB - 1))
    await until(() => lines.some((one) => statusOf(one) === '429'))
    expect((await post(gateway, chatBody('tokens=1'), { key: OTHER_KEY })).status).toBe(200)
    expect(lines.filter((one) => one.text !== '' && statusOf(one) !== '429')).toEqual([])
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    expect(Number(/held_bytes (\d+)/.exec(text)?.[1])).toBeLessThanOrEqual(8 * MIB)
    for (const { socket } of lines) socket.destroy()
    await until(() => gateway.metrics.connections <= 2)
    expect(await (await fetch(`${gateway.adminUrl}/metrics`)).text()).toContain('ironlaw_gateway_held_bytes 0\n')
  })

  test('what an engine sent of an answer before it broke is given back when another one is asked', async () => {
    const text = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(MIB) } }] })
    let asked = 0
    const breaking = createServer((_, response) => {
      asked += 1
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
      if (asked > 1) response.end(text)
      else response.write(text.slice(0, -1), () => setTimeout(() => response.destroy(), 100))
    })
    await new Promise<void>((resolve) => void breaking.listen(0, '127.0.0.1', resolve))
    opened.push(async () => void breaking.close())
    const { port } = breaking.address() as AddressInfo
    const gateway = await startWithSnapshot(snapshotOf([`http://127.0.0.1:${port}`, `http://localhost:${port}`]), { held_bytes: 3 * MIB })
    opened.push(() => gateway.stop({ drain_s: 0 }))
    expect([(await post(gateway, chatBody('tokens=1'))).status, asked]).toEqual([200, 2])
  })

  test('answers in one piece: beyond the limit one fails, and what is read is given back', async () => {
    const { gateway } = await startSetting({}, { held_bytes: 4 * MIB })
    const answer = await post(gateway, chatBody('tokens=2000000'))
    expect(answer.status).toBe(429)
    for (let round = 0; round < 4; round += 1)
      expect((await (await post(gateway, chatBody('tokens=300000'))).text()).length).toBeGreaterThan(600_000)
    expect(await (await fetch(`${gateway.adminUrl}/metrics`)).text()).toContain('ironlaw_gateway_held_bytes 0\n')
  })
})
