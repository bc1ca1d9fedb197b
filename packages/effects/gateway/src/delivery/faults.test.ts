import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Gateway, SnapshotSource } from '../index.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { type EngineStub, startEngineStub, type StubOptions } from '../../test/engine-stub.ts'
import { chatBody, openAiClient, KEY, OTHER_KEY, post, snapshotOf, startWithSnapshot, until } from '../../test/setting.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function startEngine(options: StubOptions = {}): Promise<EngineStub> {
  const stub = await startEngineStub(options)
  opened.push(stub.stop)
  return stub
}

async function startTestGateway(...parts: Parameters<typeof startWithSnapshot>): Promise<Gateway> {
  const gateway = await startWithSnapshot(...parts)
  opened.push(() => gateway.stop({ drain_s: 0 }))
  return gateway
}

function createDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'ironlaw-gateway-'))
  opened.push(async () => rmSync(path, { recursive: true, force: true }))
  return path
}

const runMany = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)))

describe('before the first byte', () => {
  test('a dead replica costs no client an answer, and soon gets no requests', async () => {
    const [alive, dead] = [await startEngine(), await startEngineStub()]
    await dead.stop()
    const gateway = await startTestGateway(snapshotOf([dead.url, alive.url], { pool: { router: 'round-robin' } }))
    for (let round = 0; round < 10; round += 1)
      expect(new Set(await runMany(10, async () => (await post(gateway, chatBody('x'))).status))).toEqual(new Set([200]))
    expect(gateway.metrics.counterValue('retries')).toBeLessThan(20)
  })

  test('an engine killed under load: what had no byte succeeds elsewhere, what had one ends as an error, none is answered twice', async () => {
    const [first, second] = [await startEngine(), await startEngine()]
    const gateway = await startTestGateway(snapshotOf([first.url, second.url], { pool: { router: 'round-robin' } }))
    const streams = runMany(20, async () => (await post(gateway, { ...chatBody('tokens=60 pace=50'), stream: true })).text())
    const waiting = runMany(20, async () => (await post(gateway, chatBody('first=2000 tokens=2'))).json())
    await until(() => first.served.running + second.served.running === 40)
    await new Promise((resolve) => setTimeout(resolve, 60))
    await first.stop()
    const texts = await streams
    for (const text of texts) expect(text.trim().endsWith('data: [DONE]')).toBe(true)
    expect(texts.filter((text) => text.includes('"finish_reason":"error"'))).toHaveLength(10)
    expect(texts.filter((text) => text.includes('"finish_reason":"stop"'))).toHaveLength(10)
    for (const answer of await waiting) expect(answer).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
    expect(gateway.metrics.counterValue('retries')).toBe(10)
  })

  test('retries are paid for: when everything fails they stop', async () => {
    const failing = await Promise.all([startEngine(), startEngine(), startEngine()])
    const gateway = await startTestGateway(
      snapshotOf(
        failing.map(({ url }) => url),
        { pool: { router: 'round-robin' } },
      ),
    )
    await runMany(200, () => post(gateway, chatBody('status=503')))
    expect(failing.reduce((sum, { served }) => sum + served.requests, 0)).toBeLessThanOrEqual(200 + 10 + 20)
  })

  test('a late first byte is hedged, and the slower answer is dropped', async () => {
    const [slow, fast] = [await startEngine(), await startEngine()]
    const gateway = await startTestGateway(snapshotOf([slow.url, fast.url], { pool: { router: 'round-robin' }, model: { hedge: true } }))
    const aborted = (): number => slow.served.aborted + fast.served.aborted
    for (let index = 0; index < 60; index += 1) await post(gateway, chatBody('tokens=1'))
    // On busy cores one of these may have been late too.
    const before = { hedges: gateway.metrics.counterValue('hedges'), aborted: aborted() }
    const { status } = await post(gateway, chatBody('first=1000'))
    expect(status).toBe(200)
    expect(gateway.metrics.counterValue('hedges')).toBe(before.hedges + 1)
    await until(() => aborted() > before.aborted)
  })

  test('a deadline is kept', async () => {
    const gateway = await startTestGateway(snapshotOf([(await startEngine()).url]))
    const answer = await post(gateway, chatBody('first=5000'), { headers: { 'x-request-timeout-s': '0.2' } })
    expect(answer.status).toBe(504)
    expect(answer.headers.get('x-should-retry')).toBe('false')
  })
})

describe('limits', () => {
  test('a quota of requests: refused with the time to wait, and announced in headers before', async () => {
    const gateway = await startTestGateway(snapshotOf([(await startEngine()).url], { tenant: { requests_per_minute: 3 } }))
    const statuses: number[] = []
    for (let index = 0; index < 5; index += 1) statuses.push((await post(gateway, chatBody('x'))).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const refused = await post(gateway, chatBody('x'))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(15)
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded', type: 'rate_limit_error' } })
    expect((await post(gateway, chatBody('x'), { key: OTHER_KEY })).status).toBe(200)
  })

  test('tokens are settled by what the engine counted', async () => {
    const gateway = await startTestGateway(
      snapshotOf([(await startEngine()).url], { tenant: { tokens_per_minute: 1000 }, model: { max_output_tokens: 900 } }),
    )
    for (let index = 0; index < 5; index += 1) expect((await post(gateway, { ...chatBody('tokens=2'), max_tokens: 50 })).status).toBe(200)
    const left = Number((await post(gateway, { ...chatBody('tokens=2'), max_tokens: 50 })).headers.get('x-ratelimit-remaining-tokens'))
    expect(left).toBeGreaterThan(1000 - 6 * 12 - 80)
  })

  test('more than the replicas take waits; more than may wait is shed with Retry-After', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const stub = await startEngine({ gate })
    const gateway = await startTestGateway(
      snapshotOf([], { pool: { replicas: [{ id: 'r', url: stub.url, max_running: 4 }], max_queued: 10 } }),
    )
    let answered = 0
    const all = runMany(30, () => post(gateway, chatBody('tokens=1')).finally(() => (answered += 1)))
    await until(() => answered === 17)
    open()
    const answers = await all
    const shed = answers.filter(({ status }) => status === 503)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(13)
    expect(shed).toHaveLength(17)
    expect(shed.every((answer) => Number(answer.headers.get('retry-after')) >= 1)).toBe(true)
    expect(stub.served.most).toBe(4)
  })

  test('a tenant in a flood of another gets his turn', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const stub = await startEngine({ gate })
    const gateway = await startTestGateway(snapshotOf([], { pool: { replicas: [{ id: 'r', url: stub.url, max_running: 2 }] } }))
    const isQueued = (count: number) => (): boolean => gateway.totals().pools[0]?.queued === count
    const order: string[] = []
    const postAndRecord = (key: string): Promise<void> =>
      post(gateway, chatBody('whole=5'), { key }).then(async (answer) => void (await answer.text(), order.push(key)))
    const flood = runMany(60, () => postAndRecord(KEY))
    await until(isQueued(58))
    const quiet = runMany(5, () => postAndRecord(OTHER_KEY))
    await until(isQueued(63))
    open()
    await Promise.all([flood, quiet])
    expect(order.lastIndexOf(OTHER_KEY)).toBeLessThan(30)
  })

  test('a slow reader stops the engine instead of filling memory', async () => {
    const TOKENS = 200_000
    const stub = await startEngine()
    const gateway = await startTestGateway(snapshotOf([stub.url]))
    const { port } = new URL(gateway.url)
    const socket = connect(Number(port), '127.0.0.1')
    opened.push(async () => void socket.destroy())
    const body = JSON.stringify({ ...chatBody(`tokens=${TOKENS}`), stream: true })
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    socket.pause()
    // The engine, too, must come to a stop: what is under way fits into the buffers of the sockets.
    let before = -1
    await until(() => {
      const still = stub.served.chunks > 0 && stub.served.chunks === before
      before = stub.served.chunks
      return still
    }, 400)
    expect(stub.served.chunks).toBeLessThan(TOKENS / 2)
    expect(stub.served.running).toBe(1)
  })
})

describe('where a request goes', () => {
  test('by weight, a session always to the same side', async () => {
    const [main, canary] = [await startEngine({ keep: true }), await startEngine()]
    const gateway = await startTestGateway(
      snapshotOf([main.url], {
        pools: { canary: { replicas: [{ id: 'c', url: canary.url }], model: 'other' } },
        model: {
          targets: [
            { pool: 'main', weight: 3 },
            { pool: 'canary', weight: 1 },
          ],
        },
      }),
    )
    await runMany(200, () => post(gateway, chatBody('x')))
    expect(canary.served.requests).toBeGreaterThan(25)
    expect(canary.served.requests).toBeLessThan(80)
    const before = canary.served.requests
    await runMany(20, () => post(gateway, { ...chatBody('x'), user: 'ann' }))
    expect([0, 20]).toContain(canary.served.requests - before)
  })

  test('the same prefix to the replica that has read it', async () => {
    const stubs = [await startEngine(), await startEngine(), await startEngine()]
    const gateway = await startTestGateway(snapshotOf(stubs.map(({ url }) => url)))
    for (let turn = 0; turn < 12; turn += 1) await post(gateway, chatBody(`${'a long story. '.repeat(300)} turn ${turn}`))
    expect(stubs.map(({ served }) => served.requests).toSorted((a, b) => a - b)).toEqual([0, 0, 12])
  })

  test('a shadow gets copies and no client waits for it', async () => {
    const [main, shadow] = [await startEngine(), await startEngine({ keep: true })]
    const gateway = await startTestGateway(
      snapshotOf([main.url], {
        pools: { trial: { replicas: [{ id: 't', url: shadow.url }], model: 'new' } },
        model: { shadow: { pool: 'trial', share: 1 } },
      }),
    )
    const began = performance.now()
    await runMany(5, () => post(gateway, chatBody('tokens=2')))
    expect(performance.now() - began).toBeLessThan(1000)
    await until(() => shadow.served.requests === 5)
    expect(shadow.bodies[0]).toContain('"model":"new"')
  })

  test('answers of a shadow are compared with those that clients got', async () => {
    const [main, other] = [await startEngine(), await startEngine()]
    const [alike, wrong] = [await startEngine(), await startEngine({ word: 'no ' })]
    const outputsOf = async (shadow: EngineStub, of?: string) => {
      const pools = { control: { replicas: [{ id: 'c', url: other.url }] }, trial: { replicas: [{ id: 't', url: shadow.url }] } }
      const gateway = await startTestGateway(
        snapshotOf([main.url], { pools, model: { shadow: { pool: 'trial', share: 1, ...(of && { of }) } } }),
      )
      const totals = () => gateway.totals().replicas.find(({ pool }) => pool === 'trial')?.outputs
      for (const stream of [true, false])
        for (const temperature of [0, 1])
          for (const prompt of ['tokens=6', 'tokens=6 split=1'])
            await (await post(gateway, { ...chatBody(prompt), stream, temperature })).text()
      if (of === undefined) await until(() => totals()?.pairs === 8)
      return totals()
    }
    expect(await outputsOf(alike)).toEqual({ pairs: 8, length_log_sum: 0, compared: 4, same: 4, agreed: 4 })
    const seen = await outputsOf(wrong)
    expect(seen).toMatchObject({ compared: 4, same: 0, agreed: 0 })
    expect(seen?.length_log_sum).toBeCloseTo(8 * Math.log(19 / 13))
    // Nobody's request went to the control group, of which alone copies are made.
    expect(await outputsOf(alike, 'control')).toBeUndefined()
  })

  test('equal requests of one tenant are answered once, if the key says so; another tenant asks anew', async () => {
    const stub = await startEngine()
    const gateway = await startTestGateway(snapshotOf([stub.url], { key: { cache_s: 60 } }))
    const first = await post(gateway, chatBody('tokens=4'))
    const second = await post(gateway, chatBody('tokens=4'))
    expect(await second.text()).toBe(await first.text())
    expect(second.headers.get('x-cache')).toBe('hit')
    expect((await post(gateway, chatBody('tokens=4'), { key: OTHER_KEY })).headers.get('x-cache')).toBeNull()
    expect(stub.served.requests).toBe(2)
  })
})

describe('operation', () => {
  test('a new snapshot is in force at once, and what runs on a replica that left may finish', async () => {
    const [old, next] = [await startEngine(), await startEngine()]
    const gateway = await startTestGateway(snapshotOf([old.url]))
    const running = post(gateway, { ...chatBody('tokens=20 pace=10'), stream: true }).then((answer) => answer.text())
    await until(() => old.served.running === 1)
    gateway.apply(snapshotOf([next.url], { version: 2 }))
    expect((await post(gateway, chatBody('x'))).status).toBe(200)
    expect(next.served.requests).toBe(1)
    expect(await running).toContain('"finish_reason":"stop"')
  })

  test('drain: not ready any more, no new connection, what runs finishes', async () => {
    const gateway = await startTestGateway(snapshotOf([(await startEngine()).url]))
    const running = post(gateway, { ...chatBody('tokens=20 pace=10'), stream: true }).then((answer) => answer.text())
    await until(() => gateway.running() === 1)
    expect((await fetch(`${gateway.adminUrl}/health/ready`)).status).toBe(200)
    const stopped = gateway.stop()
    expect((await fetch(`${gateway.adminUrl}/health/ready`)).status).toBe(503)
    await expect(fetch(gateway.url)).rejects.toThrow()
    expect(await running).toContain('"finish_reason":"stop"')
    await stopped
  })

  test('starts on its last snapshot when the source is gone; a broken or older one changes nothing', async () => {
    const folder = createDirectory()
    const document = JSON.stringify({ version: 5, pools: {}, models: {}, tenants: {}, keys: [] })
    const text = { now: document }
    const server = createServer((_, response) => void (text.now === '' ? response.writeHead(500).end() : response.end(text.now)))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    opened.push(async () => void server.close())
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
    const options = { source: url, keepAt: join(folder, 'kept.json'), every_ms: 10 }
    const source = new SnapshotSource(options)
    expect((await source.first()).version).toBe(5)
    const seen: number[] = []
    const faults: string[] = []
    source.watch(
      ({ version }) => seen.push(version),
      (problem) => faults.push(problem),
    )
    text.now = document.replace('5', '4')
    await until(() => faults.some((fault) => fault.includes('not newer')))
    text.now = '{"version": 7'
    await until(() => faults.length >= 2)
    text.now = document.replace('5', '6')
    await until(() => seen.includes(6))
    text.now = ''
    await until(() => faults.some((fault) => fault.includes('500')))
    source.stop()
    expect(seen).toEqual([6])
    expect((await new SnapshotSource(options).first()).version).toBe(6)
    await expect(new SnapshotSource({ ...options, keepAt: join(folder, 'none.json') }).first()).rejects.toThrow(
      'the gateway has no configuration',
    )
    writeFileSync(join(folder, 'file.json'), document)
    expect((await new SnapshotSource({ ...options, source: join(folder, 'file.json') }).first()).version).toBe(5)
  })

  test('the log holds sizes, times and redacted text, and no key', async () => {
    const folder = createDirectory()
    const gateway = await startWithSnapshot(snapshotOf([(await startEngine()).url], { key: { log: 'text' } }), { logDirectory: folder })
    await post(gateway, chatBody('tokens=3 write to ann.lee@example.org with sk-abcdefghijklmnop please'))
    await gateway.stop()
    const [name = ''] = readdirSync(folder)
    const line = readFileSync(join(folder, name), 'utf8')
    expect(JSON.parse(line)).toMatchObject({
      tenant: 'one',
      model: 'm',
      status: 200,
      outcome: 'ok',
      prompt_tokens: 10,
      completion_tokens: 3,
      attempts: 1,
    })
    expect(line).toContain('[email]')
    expect(line).not.toMatch(/ann\.lee|sk-abc|sk-test/)
  })

  test('metrics name what users expect', async () => {
    const gateway = await startTestGateway(snapshotOf([(await startEngine()).url]))
    await openAiClient(gateway).chat.completions.create(chatBody('tokens=3'))
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    expect(text).toContain(
      'gen_ai_client_token_usage_sum{gen_ai_operation_name="chat",gen_ai_request_model="m",tenant="one",gen_ai_token_type="output"} 3',
    )
    expect(text).toContain('ironlaw_gateway_responses_total{http_response_status_code="200",error_type="ok"} 1')
    expect(text).toMatch(/gen_ai_server_time_to_first_token_seconds_count\{[^}]*\} 1/)
  })
})
