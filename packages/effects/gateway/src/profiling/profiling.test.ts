// What a gateway counts of real requests, as a control plane gets it.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { fc, test as property } from '@fast-check/vitest'
import { countedIn, valueOf } from '@ironlaw/policies/profile'
import type { Profile } from '@ironlaw/contracts/profile'
import { afterEach, describe, expect, test } from 'vitest'
import { type EngineStub, startEngineStub, type StubOptions } from '../../test/engine-stub.ts'
import { type ProfileControl, startProfileControl } from '../../test/profile-control.ts'
import { chatBody, OTHER_KEY, post, snapshotOf, startWithSnapshot, until } from '../../test/setting.ts'
import type { Gateway } from '../index.ts'
import { ProfileClient } from './profile-client.ts'
import type { ProfilingShares } from './profiler.ts'

const opened: (() => Promise<void>)[] = []
const closeAll = async (): Promise<void> => {
  for (const close of opened.splice(0).toReversed()) await close()
}
afterEach(closeAll)

const ALL: ProfilingShares = { plain: 1, thorough: 0 }
const JSON_HEAD = { 'content-type': 'application/json' }
const STREAM_HEAD = { 'content-type': 'text/event-stream' }

type Profiled = { readonly gateway: Gateway; readonly control: ProfileControl; readonly client: ProfileClient; readonly faults: string[] }
type SettingOverrides = Parameters<typeof snapshotOf>[1] & {
  readonly shares?: ProfilingShares
  readonly boot?: string
  readonly control?: ProfileControl
}

async function startProfiled(urls: readonly string[], over: SettingOverrides = {}): Promise<Profiled> {
  const { shares = ALL, boot = 'boot-1', ...snapshot } = over
  const control = over.control ?? (await startProfileControl())
  if (!over.control) opened.push(control.stop)
  const gateway = await startWithSnapshot(snapshotOf(urls, snapshot), { profiling: { shares } })
  opened.push(() => gateway.stop({ drain_s: 0 }))
  if (!gateway.profiles) throw new Error('the gateway profiles nothing')
  const faults: string[] = []
  const options = { url: control.url, token: () => 'gateway-token', boot, windows: gateway.profiles, draw: () => 0.5 }
  const client = new ProfileClient({ ...options, every_ms: 5, refused_ms: 600_000, onFault: (problem) => faults.push(problem) })
  opened.push(() => Promise.resolve(client.stop()))
  return { gateway, control, client, faults }
}

async function startStub(options: StubOptions = {}): Promise<EngineStub> {
  const engine = await startEngineStub(options)
  opened.push(engine.stop)
  return engine
}

type Engine = (response: ServerResponse, body: string, request: IncomingMessage) => void

async function startEngine(engine: Engine): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString('utf8')))
    request.on('end', () => engine(response, body, request))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  opened.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

const engineOf = (answer: unknown): Promise<string> =>
  startEngine((response) => response.writeHead(200, JSON_HEAD).end(JSON.stringify(answer)))

async function ask(gateway: Gateway, body: object, over: Parameters<typeof post>[2] = {}): Promise<string> {
  const answer = await post(gateway, body, over)
  const text = await answer.text()
  // Samples are read a turn of the loop after the answer has gone out.
  await new Promise((resolve) => setImmediate(resolve))
  return text
}

const wordsOf = ({ features }: Profile, name: string): Readonly<Record<string, number>> => {
  const sketch = features[name]
  return sketch?.kind === 'words' ? sketch.counts : {}
}

const numbersOf = ({ features }: Profile, name: string): readonly (readonly [number, number])[] => {
  const sketch = features[name]
  return sketch?.kind === 'numbers'
    ? Object.entries(sketch.bins).map(([bin, count]) => [Math.round(valueOf(Number(bin)) * 10) / 10, count])
    : []
}

describe('answers of engines', () => {
  test('whole and streamed, each counts once, with what the engine says it took', async () => {
    const engine = await startStub({ word: 'Wort ' })
    const { gateway, control, client } = await startProfiled([engine.url])
    await ask(gateway, chatBody('tokens=20 Привет, как дела сегодня'))
    await ask(gateway, { ...chatBody('tokens=20'), stream: true, tools: [{ type: 'function', function: { name: 'f' } }] })
    await ask(gateway, { ...chatBody('tokens=400'), stream: true })
    await client.report()
    const profile = control.total('main', 'default')
    expect(profile.rows).toBe(3)
    expect(numbersOf(profile, 'prompt-tokens')).toEqual([[10, 3]])
    expect(numbersOf(profile, 'answer-tokens')).toEqual([
      [expect.closeTo(20, 0), 2],
      [expect.closeTo(400, -1), 1],
    ])
    expect(wordsOf(profile, 'ending')).toEqual({ stop: 3 })
    expect(wordsOf(profile, 'tools')).toEqual({ none: 2, offered: 1 })
    expect(wordsOf(profile, 'prompt-script')).toEqual({ cyrillic: 1, latin: 2 })
    expect(wordsOf(profile, 'answer-script')).toEqual({ latin: 3 })
    expect(wordsOf(profile, 'refusal')).toEqual({ no: 3 })
    expect(control.tokens).toEqual(['Bearer gateway-token'])
  })

  test('tools that are called, refusals, log-probabilities and languages', async () => {
    const content = "I'm sorry, but I cannot help you with this request, because it would not be right to do so."
    const url = await engineOf({
      choices: [
        {
          message: { role: 'assistant', content, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
          logprobs: {
            content: [
              { token: 'a', logprob: -1 },
              { token: 'b', logprob: -3 },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    })
    const { gateway, control, client } = await startProfiled([url], { shares: { plain: 1, thorough: 1 } })
    await ask(gateway, { ...chatBody('hello'), logprobs: true })
    await ask(gateway, chatBody('hello'))
    const hasLanguages = (): boolean => {
      void client.report()
      return countedIn(control.total('main').features['answer-language'] ?? { kind: 'words', counts: {} }) === 2
    }
    await until(hasLanguages, 50)
    const profile = control.total('main')
    expect(wordsOf(profile, 'answer-language')).toEqual({ en: 2 })
    expect(wordsOf(profile, 'tools')).toEqual({ called: 2 })
    expect(wordsOf(profile, 'refusal')).toEqual({ yes: 2 })
    expect(numbersOf(profile, 'log-probability')).toEqual([[2, 1]])
  })

  test('embeddings, as numbers and in base64', async () => {
    const vector = [0.5, -1, 2, 0.25, 0, 3, -0.125, 1]
    const base64 = Buffer.from(Float32Array.from(vector).buffer).toString('base64')
    const url = await startEngine((response, body) => {
      const embedding = body.includes('base64') ? base64 : vector
      response
        .writeHead(200, JSON_HEAD)
        .end(JSON.stringify({ object: 'list', data: [{ object: 'embedding', index: 0, embedding }], usage: { prompt_tokens: 3 } }))
    })
    const { gateway, control, client } = await startProfiled([url], { shares: { plain: 1, thorough: 1 } })
    await ask(gateway, { model: 'm', input: ['eins', 'two'] }, { path: '/v1/embeddings' })
    await ask(gateway, { model: 'm', input: 'eins', encoding_format: 'base64' }, { path: '/v1/embeddings' })
    await client.report()
    const profile = control.total('main')
    for (const which of [1, 2, 3, 4]) expect(numbersOf(profile, `embedding-${which}`)).toEqual([[expect.any(Number), 2]])
    expect(Object.keys(profile.features)).not.toContain('answer-tokens')
  })

  test('lengths are of every answer, the text of a share', async () => {
    const engine = await startStub()
    const { gateway, control, client } = await startProfiled([engine.url], { shares: { plain: 0, thorough: 0 } })
    await ask(gateway, chatBody('tokens=20'))
    await ask(gateway, { ...chatBody('tokens=20'), stream: true })
    await client.report()
    expect(Object.keys(control.total('main').features)).toEqual(['prompt-tokens', 'answer-tokens'])
  })

  test('without a control plane there is nothing to count for', async () => {
    const engine = await startStub()
    const gateway = await startWithSnapshot(snapshotOf([engine.url]))
    opened.push(() => gateway.stop({ drain_s: 0 }))
    await ask(gateway, chatBody('tokens=2'))
    expect(gateway.profiles).toBeUndefined()
  })
})

describe('one answer of a client is one row', () => {
  test('none when the client left, when the engine failed, and when the answer is a cached one', async () => {
    const engine = await startStub()
    const { gateway, control, client } = await startProfiled([engine.url], { key: { cache_s: 60 } })
    const leaving = new AbortController()
    const answer = await post(gateway, { ...chatBody('tokens=50 pace=20'), stream: true }, { signal: leaving.signal })
    leaving.abort()
    await expect(answer.text()).rejects.toThrow()
    await until(() => gateway.running() === 0)
    await ask(gateway, { ...chatBody('tokens=5 cut=2'), stream: true })
    await ask(gateway, chatBody('status=400'))
    await ask(gateway, chatBody('tokens=2'))
    await ask(gateway, chatBody('tokens=2'))
    expect(gateway.metrics.counterValue('cache_hits')).toBe(1)
    await client.report()
    expect(control.total('main').rows).toBe(1)
  })

  test('after a retry, and beside a shadow', async () => {
    let failed = 0
    const faulty = await startEngine((response) => {
      failed += 1
      response.destroy()
    })
    const [engine, shadow] = [await startStub(), await startStub()]
    const pools = { shadow: { replicas: [{ id: 's', url: shadow.url }] } }
    const retried = await startProfiled([faulty, engine.url], {
      pool: { router: 'round-robin' },
      pools,
      model: { shadow: { pool: 'shadow', share: 1 } },
    })
    for (let index = 0; index < 6; index += 1) await ask(retried.gateway, { ...chatBody('tokens=3'), stream: index % 2 === 0 })
    expect(failed).toBeGreaterThan(0)
    await until(() => shadow.served.requests === 6 && shadow.served.running === 0)
    await retried.client.report()
    expect(retried.control.total('main').rows).toBe(6)
    expect(countedIn(retried.control.total('main').features['ending'] ?? { kind: 'words', counts: {} })).toBe(6)
    expect(retried.control.total('shadow').rows).toBe(0)
  })

  test('with a hedge', async () => {
    const [one, other] = [await startStub(), await startStub()]
    const { gateway, control, client } = await startProfiled([one.url, other.url], {
      pool: { router: 'round-robin' },
      model: { hedge: true },
    })
    for (let index = 0; index < 60; index += 1) await ask(gateway, chatBody('tokens=1'))
    await ask(gateway, chatBody('tokens=1 first=1000'))
    expect(gateway.metrics.counterValue('hedges')).toBeGreaterThan(0)
    await client.report()
    expect(control.total('main').rows).toBe(61)
  })

  test('of the revision that answered, where a trial did not', async () => {
    const [engine, trial] = [await startStub(), await startStub()]
    const { gateway, control, client } = await startProfiled([engine.url], {
      pools: { trial: { replicas: [{ id: 't', url: trial.url }] } },
      model: {
        targets: [
          { pool: 'main', weight: 0 },
          { pool: 'trial', weight: 1, trial: true },
        ],
      },
    })
    await ask(gateway, chatBody('tokens=2'))
    await trial.stop()
    await ask(gateway, chatBody('tokens=2'))
    await client.report()
    expect([control.total('trial').rows, control.total('main').rows]).toEqual([1, 1])
  })

  test('by the class of the tenant', async () => {
    const engine = await startStub()
    const { gateway, control, client } = await startProfiled([engine.url], { tenant: { class: 'batch' } })
    await ask(gateway, chatBody('tokens=2'))
    await ask(gateway, chatBody('tokens=2'), { key: OTHER_KEY })
    await ask(gateway, chatBody('tokens=2'), { key: OTHER_KEY })
    await client.report()
    expect([control.total('main', 'batch').rows, control.total('main', 'default').rows]).toEqual([1, 2])
  })
})

describe('reports', () => {
  test('lost, repeated and late ones give the totals of what was counted', async () => {
    const engine = await startStub()
    const { gateway, control, client, faults } = await startProfiled([engine.url])
    for (const answer of ['lost', 503, 'lost', 204, 204] as const) {
      control.answers.push(answer)
      await ask(gateway, chatBody('tokens=2'))
      await client.report()
    }
    expect(control.total('main').rows).toBe(5)
    expect(faults).toHaveLength(3)
    const reported = control.reports.length
    await client.report()
    expect(control.reports).toHaveLength(reported)
  })

  test('another process adds to what the one before it counted', async () => {
    const engine = await startStub()
    const first = await startProfiled([engine.url])
    const second = await startProfiled([engine.url], { boot: 'boot-2', control: first.control })
    await ask(first.gateway, chatBody('tokens=2'))
    await first.client.leave()
    await ask(second.gateway, chatBody('tokens=2'))
    await second.client.leave()
    expect(first.control.total('main').rows).toBe(2)
  })

  test('go out by themselves, and go on after a failure', async () => {
    const engine = await startStub()
    const { gateway, control, client } = await startProfiled([engine.url])
    control.answers.push(500, 'lost', 429)
    client.watch()
    await ask(gateway, chatBody('tokens=2'))
    await until(() => control.tokens.length >= 4)
    expect(control.total('main').rows).toBe(1)
  })

  test.each([404, 400, 413, 401])('after a %i they rest, and one more goes out when the gateway leaves', async (status) => {
    const engine = await startStub()
    const { gateway, control, client, faults } = await startProfiled([engine.url])
    control.answers.push(status)
    client.watch()
    await ask(gateway, chatBody('tokens=2'))
    await until(() => control.tokens.length === 1)
    // With 5 ms between two reports a client that did not rest would send another during this request.
    await ask(gateway, chatBody('tokens=2 whole=100'))
    expect(control.tokens).toHaveLength(1)
    await client.leave()
    expect(control.total('main').rows).toBe(2)
    expect(faults).toHaveLength(status === 404 ? 0 : 1)
  })
})

describe('hostile answers', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1 }
  const choice = (more: object) => ({ choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, ...more }], usage })
  const tokens = Array.from({ length: 100_000 }, () => ({ token: 'x'.repeat(60), logprob: -1, bytes: [1] }))
  test.each([
    ['a finish reason that is an object', choice({ finish_reason: { stop: 'stop' } }), { ending: { other: 1 } }],
    ['a finish reason of a kilobyte', choice({ finish_reason: 'x'.repeat(1024) }), { ending: { other: 1 } }],
    ['10 MB of log-probabilities', choice({ logprobs: { content: tokens }, finish_reason: 'stop' }), { ending: { stop: 1 } }],
    ['log-probabilities that are none', choice({ logprobs: { content: [{ logprob: '-1' }] } }), {}],
    ['probabilities above 1', choice({ logprobs: { content: [{ logprob: 3 }] } }), {}],
    ['content that is an object', { choices: [{ message: { content: { a: 1 } } }], usage }, { 'answer-script': { none: 1 } }],
    ['choices that are text', { choices: 'stop', usage }, { 'answer-script': { none: 1 } }],
    ['usage that is text', { choices: [], usage: 'many' }, {}],
  ])('%s', async (_, answer, words) => {
    const { gateway, control, client } = await startProfiled([await engineOf(answer)], { shares: { plain: 1, thorough: 1 } })
    await ask(gateway, { ...chatBody('hi'), logprobs: true })
    await client.report()
    const profile = control.total('main')
    expect(profile.rows).toBe(1)
    for (const [name, counts] of Object.entries(words)) expect(wordsOf(profile, name)).toEqual(counts)
    expect(Object.keys(profile.features)).not.toContain('log-probability')
    expect(gateway.metrics.counterValue('unexpected')).toBe(0)
  })

  test.each([['AACAPw=='], [['0.5', '1']], [{ 0: 1 }], [[]], [[0, 0]]])('an embedding of %j', async (embedding) => {
    const url = await engineOf({ data: [{ object: 'embedding', index: 0, embedding }], usage })
    const { gateway, control, client } = await startProfiled([url], { shares: { plain: 1, thorough: 1 } })
    await ask(gateway, { model: 'm', input: 'hi' }, { path: '/v1/embeddings' })
    await client.report()
    expect(Object.keys(control.total('main').features)).toEqual(['prompt-tokens', 'prompt-script'])
    expect(gateway.metrics.counterValue('unexpected')).toBe(0)
  })
})

const WORD = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzÄßяж你好"\\{}:'), minLength: 5, maxLength: 12 })

property.prop([fc.array(WORD, { minLength: 3, maxLength: 20 }), fc.array(WORD, { minLength: 3, maxLength: 20 }), fc.boolean()], {
  numRuns: 30,
})('no word of a prompt or an answer is in a report', async (prompt, answer, stream) => {
  try {
    const said = answer.join(' ')
    const url = await startEngine((response) => {
      const choice = stream ? { delta: { content: said } } : { message: { role: 'assistant', content: said } }
      const text = JSON.stringify({
        choices: [{ index: 0, ...choice, finish_reason: answer[0] }],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      })
      if (stream) response.writeHead(200, STREAM_HEAD).end(`data: ${text}\n\ndata: [DONE]\n\n`)
      else response.writeHead(200, JSON_HEAD).end(text)
    })
    const { gateway, control, client } = await startProfiled([url])
    await ask(gateway, { ...chatBody(prompt.join(' ')), stream })
    await client.leave()
    const [body = ''] = control.bodies
    expect(control.total('main').rows).toBe(1)
    // Everything that is said about an answer is a word of a closed list, whatever was said in it.
    const known = /[a-z]+/g
    const allowed = new Set(
      'boot windows pool main class default hour profile rows features prompt answer tokens kind numbers bins words counts ending tools script refusal other none no yes stop length error abort latin cyrillic han'.split(
        ' ',
      ),
    )
    for (const [word] of body.matchAll(known)) expect(allowed).toContain(word)
    expect(body).not.toMatch(/[^\x20-\x7e]/)
  } finally {
    await closeAll()
  }
})
