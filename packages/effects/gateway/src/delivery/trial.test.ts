// A revision on trial next to one that serves. Whatever it does wrong, clients get the answer of the one that serves, and it counts.

import { createServer, type ServerResponse } from 'node:http'
import { type Gateway, parseSnapshot, startGateway } from '../index.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { type EngineStub, startEngineStub, type StubOptions } from '../../test/engine-stub.ts'
import { chatBody, KEY, post, sha256, until } from '../../test/setting.ts'

const REQUESTS = 40
const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

const JSON_HEAD = { 'content-type': 'application/json' }
const STREAM_HEAD = { 'content-type': 'text/event-stream' }
const refusal = (code: string) => JSON.stringify({ error: { message: 'no', type: 'invalid_request_error', param: null, code } })
const completion = (content: string) => JSON.stringify({ id: 'a', choices: [{ index: 0, message: { role: 'assistant', content } }] })

type Engine = (response: ServerResponse) => void

const BROKEN: Readonly<Record<string, Engine>> = {
  'knows the model by another name': (response) => response.writeHead(404, JSON_HEAD).end(refusal('model_not_found')),
  'calls every request invalid': (response) => response.writeHead(400, JSON_HEAD).end(refusal('invalid_value')),
  'refuses the token of the gateway': (response) => response.writeHead(401, JSON_HEAD).end(refusal('invalid_api_key')),
  'refuses without a body': (response) => response.writeHead(422, { 'content-length': 0 }).end(),
  'fails every request': (response) => response.writeHead(500, JSON_HEAD).end(refusal('internal')),
  redirects: (response) => response.writeHead(302, { location: '/elsewhere', 'content-length': 0 }).end(),
  'answers with nothing at all': (response) => response.writeHead(200, JSON_HEAD).end(),
  'answers with a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>It works!</html>'),
  'begins streams and ends them': (response) => response.writeHead(200, STREAM_HEAD).end(),
}
/** A comment is passed on as it comes, and after it there is no second attempt. */
const endsEarly: Engine = (response) => response.writeHead(200, STREAM_HEAD).end(': hello\n\n')

async function listen(engine: Engine): Promise<string> {
  const server = createServer((request, response) => request.resume().on('end', () => engine(response)))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  opened.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

async function startStub(options: StubOptions = {}): Promise<EngineStub> {
  const engine = await startEngineStub(options)
  opened.push(engine.stop)
  return engine
}

type TrialOverrides = {
  readonly model?: object
  readonly share?: number
  readonly max_running?: number
  readonly max_queued?: number
  readonly serving?: object
  readonly tried?: object
  readonly triedRunning?: number
}

async function startTestGateway(
  serving: string,
  tried: string,
  { model = {}, share = 0.5, max_running = 64, max_queued = 1000, triedRunning = 64, ...over }: TrialOverrides = {},
): Promise<Gateway> {
  const targets = [
    { pool: 'serving', weight: 1 - share },
    { pool: 'tried', weight: share, trial: true },
  ]
  const parsed = parseSnapshot({
    version: 1,
    pools: {
      serving: { replicas: [{ id: 's', url: serving, max_running }], max_queued, ...over.serving },
      tried: { replicas: [{ id: 't', url: tried, max_running: triedRunning }], ...over.tried },
    },
    models: { m: { targets, ...model } },
    tenants: { one: {} },
    keys: [{ sha256: sha256(KEY), tenant: 'one' }],
  })
  if (!parsed.ok) throw new Error(parsed.problem)
  const gateway = await startGateway({ snapshot: parsed.snapshot })
  opened.push(() => gateway.stop({ drain_s: 0 }))
  return gateway
}

const totalsAt = (gateway: Gateway, id: string) => gateway.totals().replicas.find((replica) => replica.id === id)

async function collectAnswers(gateway: Gateway, prompt: string, stream = false): Promise<readonly number[]> {
  const all = await Promise.all(Array.from({ length: REQUESTS }, () => post(gateway, { ...chatBody(prompt), stream })))
  const texts = await Promise.all(all.map((answer) => answer.text()))
  return all.map(({ status }, index) => (status === 200 && !texts[index]?.includes('é') ? 0 : status))
}

describe('a revision on trial that', () => {
  test.each(Object.entries(BROKEN))('%s costs clients nothing, and is blamed', async (_, engine) => {
    const gateway = await startTestGateway((await startStub()).url, await listen(engine))
    for (const stream of [false, true]) expect(new Set(await collectAnswers(gateway, 'tokens=2', stream))).toEqual(new Set([200]))
    expect(totalsAt(gateway, 't')?.errors).toBeGreaterThanOrEqual(2)
    expect(totalsAt(gateway, 's')?.errors).toBe(0)
  })

  test('does so where a request may be tried only once', async () => {
    const gateway = await startTestGateway((await startStub()).url, await listen(BROKEN['calls every request invalid']!), {
      model: { max_attempts: 1 },
    })
    expect(new Set(await collectAnswers(gateway, 'tokens=2'))).toEqual(new Set([200]))
  })

  test.each(['calls every request invalid', 'fails every request'])('%s costs no request where what serves is full', async (broken) => {
    const serving = await startStub({ pace_ms: 20 })
    const gateway = await startTestGateway(serving.url, await listen(BROKEN[broken]!), { max_running: 1, share: 0.999 })
    const long = post(gateway, { ...chatBody('tokens=20'), stream: true })
    await until(() => serving.served.running === 1)
    for (let round = 0; round < 3; round += 1) expect((await post(gateway, chatBody('tokens=2'))).status).toBe(200)
    expect(serving.served.most).toBe(1)
    expect(await (await long).text()).toContain('[DONE]')
  })

  test.each([
    ['', {}],
    [' and hedges', { hedge: true }],
  ])('refuses fast under overload%s: what serves runs no more than it may, and nobody sees the refusal', async (_, model) => {
    const serving = await startStub()
    const pool = { max_running: 3, max_queued: 40 }
    const gateway = await startTestGateway(serving.url, await listen(BROKEN['calls every request invalid']!), {
      ...pool,
      share: 0.9,
      model,
    })
    const statuses: number[] = []
    // Some that what serves fails itself, which is when a second attempt looks for another pool.
    const send = async (index: number): Promise<void> => {
      const prompt = index % 10 === 0 ? 'reset=1' : 'tokens=2 whole=30'
      for (let round = 0; round < 3; round += 1) statuses.push((await post(gateway, chatBody(prompt))).status)
    }
    await Promise.all(Array.from({ length: 50 }, (__, index) => send(index)))
    const count = (status: number): number => statuses.filter((each) => each === status).length
    expect(serving.served.most).toBe(3)
    expect(count(400)).toBe(0)
    expect(count(200)).toBeGreaterThan(0)
    // What may not wait is shed, and what serves broke is said to be broken.
    expect(count(200) + count(503) + count(502)).toBe(150)
  })

  test('is full itself, or has no replica, leaves its requests to what serves', async () => {
    const [serving, tried] = [await startStub(), await startStub()]
    const gateway = await startTestGateway(serving.url, tried.url, { tried: { max_queued: 0 }, triedRunning: 1 })
    expect(new Set(await collectAnswers(gateway, 'whole=50'))).toEqual(new Set([200]))
    expect(tried.served.most).toBe(1)
    const without = await startTestGateway(serving.url, tried.url, { tried: { replicas: [] } })
    expect(new Set(await collectAnswers(without, 'tokens=2'))).toEqual(new Set([200]))
  })

  test('is all that is left answers for itself', async () => {
    const gateway = await startTestGateway((await startStub()).url, (await startStub()).url, { serving: { replicas: [] }, share: 0.999 })
    expect((await post(gateway, chatBody('status=400'))).status).toBe(400)
    expect((await post(gateway, chatBody('tokens=2'))).status).toBe(200)
  })

  test('never begins an answer is left after its time, and is blamed', async () => {
    const gateway = await startTestGateway((await startStub()).url, await listen(() => undefined), { model: { first_byte_s: 0.3 } })
    expect(new Set(await collectAnswers(gateway, 'tokens=2'))).toEqual(new Set([200]))
    expect(totalsAt(gateway, 't')?.errors).toBeGreaterThanOrEqual(1)
  })

  test('ends streams before they are complete is blamed', async () => {
    const gateway = await startTestGateway((await startStub()).url, await listen(endsEarly))
    await collectAnswers(gateway, 'tokens=2', true)
    expect(totalsAt(gateway, 't')?.errors).toBeGreaterThanOrEqual(2)
  })

  test('answers without a word is counted', async () => {
    const empty = (response: ServerResponse) => response.writeHead(200, JSON_HEAD).end(completion(''))
    const gateway = await startTestGateway((await startStub()).url, await listen(empty))
    await collectAnswers(gateway, 'tokens=2')
    const { answers: answered = 0, empty: silent } = totalsAt(gateway, 't') ?? {}
    expect(answered).toBeGreaterThan(0)
    expect(silent).toBe(answered)
    expect(totalsAt(gateway, 's')?.empty).toBe(0)
  })

  test('streams without a word is counted', async () => {
    const events = [{ delta: { role: 'assistant', content: '' } }, { delta: {}, finish_reason: 'stop' }].map((choice) =>
      JSON.stringify({ id: 'a', choices: [{ index: 0, ...choice }] }),
    )
    const text = [...events, '[DONE]'].map((event) => `data: ${event}\n\n`).join('')
    const gateway = await startTestGateway(
      (await startStub()).url,
      await listen((response) => response.writeHead(200, STREAM_HEAD).end(text)),
    )
    await collectAnswers(gateway, 'tokens=2', true)
    expect(totalsAt(gateway, 't')?.empty).toBeGreaterThan(0)
    expect(totalsAt(gateway, 's')?.empty).toBe(0)
  })

  test('refuses what the one that serves refuses too is not blamed, and the client gets that refusal', async () => {
    const [serving, tried] = [await startStub(), await startStub()]
    const gateway = await startTestGateway(serving.url, tried.url)
    expect(new Set(await collectAnswers(gateway, 'status=400'))).toEqual(new Set([400]))
    expect([totalsAt(gateway, 's')?.errors, totalsAt(gateway, 't')?.errors]).toEqual([0, 0])
    expect(totalsAt(gateway, 's')?.refused).toBe(REQUESTS)
    // It is asked once, and what serves is not asked twice.
    expect(serving.served.requests).toBe(REQUESTS)
    expect(tried.served.requests).toBeLessThan(REQUESTS)
  })
})

describe('a shadow that', () => {
  const shadow = { targets: [{ pool: 'serving' }], shadow: { pool: 'tried', share: 1 } }

  test.each(Object.entries({ ...BROKEN, 'ends streams before they are complete': endsEarly }))(
    '%s is blamed for what the one that serves answers',
    async (_, engine) => {
      const gateway = await startTestGateway((await startStub()).url, await listen(engine), { model: shadow })
      expect((await post(gateway, { ...chatBody('tokens=2'), stream: true })).status).toBe(200)
      expect((await post(gateway, chatBody('tokens=2'))).status).toBe(200)
      await until(() => (totalsAt(gateway, 't')?.errors ?? 0) >= 2)
    },
  )

  test('never begins an answer is blamed after the time that a client would wait', async () => {
    const gateway = await startTestGateway((await startStub()).url, await listen(() => undefined), {
      model: { ...shadow, first_byte_s: 0.2 },
    })
    expect((await post(gateway, chatBody('tokens=2'))).status).toBe(200)
    await until(() => totalsAt(gateway, 't')?.errors === 1)
  })

  test('refuses what the one that serves refuses too is not blamed', async () => {
    const gateway = await startTestGateway((await startStub()).url, (await startStub()).url, { model: shadow })
    for (let round = 0; round < 3; round += 1) expect((await post(gateway, chatBody('status=400'))).status).toBe(400)
    expect((await post(gateway, chatBody('tokens=2'))).status).toBe(200)
    await until(() => totalsAt(gateway, 't')?.answers === 1)
    expect(totalsAt(gateway, 't')?.errors).toBe(0)
  })
})
