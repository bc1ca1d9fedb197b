// What any client that reaches the port can send: each gets an answer, and the next request is served.

import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { GeneratePart, GenerateRequest, EngineVitals } from '../engine.ts'
import { openLlama } from '../llamacpp/llama-engine.ts'
import { hasTorch, seededModel, SMALLEST } from '../llamacpp/seeded-model.fixture.ts'
import { SimulatedEngine } from '../simulated/simulated-engine.ts'
import { DeepHealth } from './deep-health.ts'
import { type EngineHost, type HostOptions, startEngineHost } from './engine-host.ts'

const OPTIONS = { model: { id: 'm', context_tokens: 4096, slots: 2 }, step_s: () => 0, prefill_s_per_token: 0 }

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function startHost(options: Partial<HostOptions> = {}): Promise<EngineHost> {
  const host = await startEngineHost({ engine: new SimulatedEngine(OPTIONS), ...options })
  opened.push(() => host.stop({ drain_s: 0 }))
  await host.warm()
  return host
}

type HostResponse = { readonly status: number; readonly body: unknown }

async function post({ url }: EngineHost, path: string, body: string): Promise<HostResponse> {
  const answer = await fetch(`${url}${path}`, { method: 'POST', body })
  return { status: answer.status, body: await answer.json() }
}

const completion = (host: EngineHost, fields: object): Promise<HostResponse> =>
  post(host, '/v1/completions', JSON.stringify({ model: 'm', prompt: 'x', max_tokens: 2, ...fields }))

/** Sends raw bytes and resolves with everything received until the other side closes. */
function untilClosed({ url }: EngineHost, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let received = ''
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
  socket
    .on('data', (bytes) => (received += bytes.toString()))
    .on('error', () => undefined)
    .on('close', () => resolve(received))
  return promise
}

describe('bodies', () => {
  test('a balanced nest of 5,000 levels is a 400, in the prompt and in an unused field', async () => {
    const host = await startHost()
    const nest = `${'['.repeat(5000)}${']'.repeat(5000)}`
    for (const body of [`{"model":"m","prompt":${nest}}`, `{"model":"m","prompt":"x","other":${nest}}`])
      expect(await post(host, '/v1/completions', body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_json' } } })
    expect(await completion(host, {})).toMatchObject({ status: 200 })
  })

  test.each([
    ['messages', '/v1/chat/completions', `{"model":"m","messages":[${'1,'.repeat(1_000_000)}1]}`],
    ['prompt', '/v1/completions', `{"model":"m","prompt":[${'1.5,'.repeat(1_000_000)}1]}`],
    ['input', '/v1/embeddings', `{"model":"m","input":[${'1,'.repeat(1_000_000)}1]}`],
  ])('a list of a million wrong elements in %s is one problem', async (param, path, body) => {
    expect(await post(await startHost(), path, body)).toMatchObject({ status: 400, body: { error: { param } } })
  })

  test('a body announced as too long is refused before it is sent, and the connection closed', async () => {
    const head = 'POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 999999999\r\n\r\n'
    expect(await untilClosed(await startHost(), head)).toMatch(/^HTTP\/1.1 413 .*connection: close/is)
  })

  test('a request to nowhere whose body never ends does not hold its connection', async () => {
    const head = 'POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nx'
    expect(await untilClosed(await startHost(), head)).toMatch(/^HTTP\/1.1 404 /)
  })

  test('a body or a head that comes too slowly is cut off', async () => {
    const host = await startHost({ body_s: 0.2 })
    expect(await untilClosed(host, 'POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{')).toMatch(/^HTTP\/1.1 408 /)
    expect(await untilClosed(host, 'POST /v1/comp')).toMatch(/^HTTP\/1.1 408 /)
  })
})

test('connections beyond the cap are closed, and those within it are served', async () => {
  const host = await startHost({ max_connections: 2 })
  const port = Number(new URL(host.url).port)
  const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  expect(await untilClosed(host, 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n')).toBe('')
  for (const socket of held) socket.destroy()
  await untilServed(host)
})

/** Connections within the cap are served again. */
const untilServed = (host: EngineHost): Promise<void> =>
  expect
    .poll(
      () =>
        fetch(`${host.url}/health`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 15_000 },
    )
    .toBe(200)

test('an answer in one piece that grows beyond its bound ends as a 400; the same as a stream does not', async () => {
  const host = await startHost({ answer_bytes: 50 })
  const asked = { max_tokens: 100 }
  expect(await completion(host, asked)).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('50 bytes') } } })
  const stream = await fetch(`${host.url}/v1/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', prompt: 'x', stream: true, ...asked }),
  })
  expect(await stream.text()).toContain('[DONE]')
})

test('embeddings beyond the bound of an answer are a 400', async () => {
  const host = await startHost({ answer_bytes: 1000 })
  const embed = (count: number): Promise<HostResponse> =>
    post(host, '/v1/embeddings', JSON.stringify({ model: 'm', input: Array.from({ length: count }, () => 'x') }))
  expect(await embed(20)).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('1000 bytes') } } })
  expect(await embed(2)).toMatchObject({ status: 200, body: { object: 'list', model: 'm', data: [{ index: 0 }, { index: 1 }] } })
})

test('a whole answer that its client does not take is given up', async () => {
  const host = await startHost({ reader_stall_s: 0.2, max_connections: 1, engine: new WordyEngine(OPTIONS) })
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  socket.on('error', () => undefined).on('close', () => resolve())
  const body = JSON.stringify({ model: 'm', prompt: 'x', max_tokens: 1 })
  socket.write(`POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  // Reads nothing until the host has given up, and so has room for another connection.
  await untilServed(host)
  let read = 0
  socket.on('data', (bytes) => (read += bytes.length))
  await closed
  expect(read).toBeLessThan(WORDS.length)
})

describe('several choices of one stream', () => {
  const streamed = async (host: EngineHost, prompt: unknown): Promise<{ readonly status: number; readonly text: string }> => {
    const body = JSON.stringify({ model: 'm', prompt, stream: true, max_tokens: 500 })
    const answer = await fetch(`${host.url}/v1/completions`, { method: 'POST', body, signal: AbortSignal.timeout(5000) })
    return { status: answer.status, text: await answer.text() }
  }

  test('a prompt that is refused is a 400 before any other is begun', async () => {
    const engine = new FailingEngine({ ...OPTIONS, step_s: () => 0.005 })
    const host = await startHost({ engine })
    const before = engine.generated
    const { status, text } = await streamed(host, ['x', 'long '.repeat(9000)])
    expect([status, text]).toEqual([400, expect.stringContaining('context_length_exceeded')])
    expect(engine.generated).toBe(before)
  })

  test.each([
    ['refused', 'invalid_value'],
    ['broken', 'engine_failed'],
  ] as const)('one that is %s after the first byte ends all of them with an error event', async (how, code) => {
    const engine = new LateEngine(how)
    const host = await startHost({ engine })
    const { status, text } = await streamed(host, ['x', 'late'])
    expect(status).toBe(200)
    expect(text).toMatch(new RegExp(`"${code}".*\\n\\ndata: \\[DONE\\]\\n\\n$`))
    // The other one was stopped, and had ended before the answer did.
    expect(engine.reasons).toEqual(['aborted'])
    expect(await completion(host, { max_tokens: 1 })).toMatchObject({ status: 200 })
  })
})

const WORDS = 'word '.repeat(4 * 2 ** 20)

class WordyEngine extends SimulatedEngine {
  override async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
    for await (const part of super.generate(request, signal)) yield part.part === 'text' ? { ...part, text: WORDS } : part
  }
}

/** Refuses or breaks on the prompt "late", after others have had their first tokens. */
class LateEngine extends SimulatedEngine {
  readonly #how: 'refused' | 'broken'
  readonly reasons: string[] = []

  constructor(how: 'refused' | 'broken') {
    super({ ...OPTIONS, step_s: () => 0.01 })
    this.#how = how
  }

  override async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
    if (request.prompt.kind === 'text' && request.prompt.text === 'late') {
      await new Promise((resolve) => setTimeout(resolve, 100))
      if (this.#how === 'broken') throw new Error('breaks on purpose')
      yield { part: 'refused', field: 'prompt', why: 'invalid', reason: 'refused on purpose' }
      return
    }
    for await (const part of super.generate(request, signal)) {
      if (part.part === 'ended' && part.reason === 'aborted') this.reasons.push(part.reason)
      yield part
    }
  }
}

class FailingEngine extends SimulatedEngine {
  failing = false
  generated = 0

  override async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
    this.generated += 1
    if (this.failing) throw new Error('fails on purpose')
    yield* super.generate(request, signal)
  }

  override async vitals(): Promise<EngineVitals> {
    if (this.failing) throw new Error('fails on purpose')
    return super.vitals()
  }
}

describe('an engine that fails', () => {
  test('deep health is 503 and metrics are 500, and the process goes on', async () => {
    const engine = new FailingEngine(OPTIONS)
    const host = await startHost({ engine })
    engine.failing = true
    const status = async (path: string): Promise<number> => (await fetch(`${host.url}${path}`)).status
    expect([await status('/health/deep'), await status('/metrics'), await status('/health')]).toEqual([503, 500, 200])
    engine.failing = false
    expect(await completion(host, {})).toMatchObject({ status: 200 })
  })

  test('many deep health checks generate once', async () => {
    const engine = new FailingEngine(OPTIONS)
    const host = await startHost({ engine })
    const before = engine.generated
    const all = await Promise.all(Array.from({ length: 50 }, async () => (await fetch(`${host.url}/health/deep`)).status))
    expect([new Set(all), engine.generated - before]).toEqual([new Set([200]), 1])
  })

  test('a check that never ends has a verdict all the same', async () => {
    const health = new DeepHealth(() => new Promise(() => undefined), { within_ms: 20 })
    expect(await health.verdict()).toMatch(/not answered within 20 ms/)
  })
})

describe.skipIf(!hasTorch())('llama.cpp', () => {
  test("token ids outside the vocabulary are the client's 400", async () => {
    const engine = await openLlama({ file: seededModel(SMALLEST), id: 'm', threads: 1, slots: 2 })
    opened.push(() => engine.close())
    const host = await startHost({ engine })
    for (const prompt of [[1, 999_999, 2], [256], [2 ** 40], [[1, 2], [300]], [-1], [1.5]])
      expect(await completion(host, { prompt })).toMatchObject({ status: 400, body: { error: { param: 'prompt' } } })
    expect(await completion(host, { prompt: [0, 255] })).toMatchObject({ status: 200 })
  })
})
