import type { Gateway } from '../index.ts'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EngineStub, startEngineStub } from '../../test/engine-stub.ts'
import { chatBody, openAiClient, OTHER_KEY, post, snapshotOf, startWithSnapshot, until } from '../../test/setting.ts'

let engine: EngineStub
let gateway: Gateway

beforeAll(async () => {
  engine = await startEngineStub({ keep: true })
  gateway = await startWithSnapshot(
    snapshotOf([engine.url], {
      model: { stall_s: 0.3, first_byte_s: 1, context_tokens: 5000 },
      limits: { body_bytes: 20_000, body_s: 0.5 },
    }),
  )
})
afterAll(async () => {
  await gateway.stop({ drain_s: 0 })
  await engine.stop()
})

describe('answers, as the official client reads them', () => {
  test('unary chat, with its headers', async () => {
    const { data, response } = await openAiClient(gateway).chat.completions.create(chatBody('tokens=3')).withResponse()
    expect(data.choices[0]?.message.content).toBe('é é é ')
    expect(data.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3 })
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('1000000')
    expect(Number(response.headers.get('x-ratelimit-remaining-tokens'))).toBeGreaterThan(999_000_000)
  })

  for (const how of ['tokens=3', 'tokens=3 split=1'])
    test(`streamed chat (${how}) without usage, which the client did not request`, async () => {
      const chunks = await Array.fromAsync(await openAiClient(gateway).chat.completions.create({ ...chatBody(how), stream: true }))
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('é é é ')
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
      expect(chunks.some((chunk) => chunk.usage)).toBe(false)
      expect(engine.bodies.at(-1)).toContain('"include_usage":true')
    })

  test('streamed chat with usage', async () => {
    const stream = await openAiClient(gateway).chat.completions.create({
      ...chatBody('tokens=3'),
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } })
  })

  test('completions, streamed and not; embeddings; models', async () => {
    const openai = openAiClient(gateway)
    expect((await openai.completions.create({ model: 'm', prompt: 'tokens=2' })).choices[0]?.text).toBe('é é ')
    const chunks = await Array.fromAsync(await openai.completions.create({ model: 'm', prompt: 'tokens=2', stream: true }))
    expect(chunks.map((chunk) => chunk.choices[0]?.text).join('')).toBe('é é ')
    const embedded = await openai.embeddings.create({ model: 'm', input: 'x', encoding_format: 'float' })
    expect(embedded.data[0]?.embedding).toEqual([0.25, -1])
    expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(['m'])
    expect((await openai.models.retrieve('m')).id).toBe('m')
  })

  test('prompts to be echoed with log probabilities reach the engine as they were sent, and its usage comes back', async () => {
    const body = { model: 'm', prompt: [[1, 2, 3], [4]], echo: true, logprobs: 1, max_tokens: 0, temperature: 0 }
    const answer = await openAiClient(gateway).completions.create(body)
    expect(answer.usage?.prompt_tokens).toBeGreaterThan(0)
    expect(JSON.parse(engine.bodies.at(-1) ?? '')).toMatchObject(body)
  })

  test('a client that leaves stops the engine', async () => {
    const before = engine.served.aborted
    const stream = await openAiClient(gateway).chat.completions.create({ ...chatBody('tokens=1000 pace=5'), stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    await until(() => engine.served.aborted === before + 1 && gateway.running() === 0)
  })

  test('the id of a request goes through, and what is left of its deadline', async () => {
    const answer = await post(gateway, chatBody('tokens=1'), { headers: { 'x-request-id': 'abc-1', 'x-request-timeout-s': '7' } })
    expect(answer.headers.get('x-request-id')).toBe('abc-1')
    expect(engine.heads.at(-1)).toMatchObject({ 'x-request-id': 'abc-1', 'x-request-timeout-s': expect.stringMatching(/^6\.9|^7\.0/) })
  })
})

describe('refusals in the form the client turns into its errors', () => {
  const openai = (): OpenAI => openAiClient(gateway)
  for (const [what, asked, kind, shape] of [
    [
      'wrong key',
      () => openAiClient(gateway, 'sk-wrong').chat.completions.create(chatBody('x')),
      OpenAI.AuthenticationError,
      { status: 401, code: 'invalid_api_key' },
    ],
    [
      'unknown model',
      () => openai().chat.completions.create({ ...chatBody('x'), model: 'none' }),
      OpenAI.NotFoundError,
      { status: 404, code: 'model_not_found', param: 'model' },
    ],
    [
      'a model named like a method',
      () => openai().chat.completions.create({ ...chatBody('x'), model: 'constructor' }),
      OpenAI.NotFoundError,
      { status: 404 },
    ],
    [
      'no messages',
      () => openai().chat.completions.create({ model: 'm', messages: [] }),
      OpenAI.BadRequestError,
      { status: 400, param: 'messages' },
    ],
    [
      'too long for the model',
      () => openai().chat.completions.create(chatBody('x'.repeat(19_980 + 100))),
      OpenAI.APIError,
      { status: 413 },
    ],
    [
      'refused by the engine, its numeric code made a word',
      () => openai().chat.completions.create(chatBody('status=422')),
      OpenAI.UnprocessableEntityError,
      { status: 422, code: 'invalid_value', type: 'BadRequestError' },
    ],
    [
      'failed by the engine',
      () => openai().chat.completions.create(chatBody('status=500')),
      OpenAI.InternalServerError,
      { status: 502, code: 'upstream_error' },
    ],
  ] as const)
    test(what, async () => {
      const error: unknown = await asked().then(undefined, (failure: unknown) => failure)
      expect(error).toBeInstanceOf(kind)
      expect(error).toMatchObject(shape)
    })

  for (const [what, body, over, status, code] of [
    ['not JSON', '{"model":', {}, 400, 'invalid_json'],
    ['not an object', '[]', {}, 400, 'invalid_json'],
    ['another method', undefined, {}, 405, 'method_not_allowed'],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['max_tokens that is no number', '{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":"9"}', {}, 400, 'invalid_value'],
    ['too long', 'x'.repeat(20_001), {}, 413, 'request_too_large'],
  ] as const)
    test(what, async () => {
      const answer =
        body === undefined
          ? await fetch(`${gateway.url}/v1/completions`, { headers: { authorization: 'Bearer sk-test-one' } })
          : await post(gateway, body, { headers: over })
      expect(answer.status).toBe(status)
      expect(await answer.json()).toMatchObject({ error: { code, type: 'invalid_request_error', message: expect.any(String) } })
      expect(answer.headers.get('x-should-retry')).toBe('false')
    })

  test('a body that does not come in time', async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"mo')) })
    const answer = await fetch(`${gateway.url}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-test-one' },
      body,
      duplex: 'half',
    })
    expect(answer.status).toBe(408)
  })
})

describe('cut streams: what the official client sees', () => {
  const readStream = async (how: string): Promise<{ readonly text: string; readonly error: unknown }> => {
    let text = ''
    try {
      const stream = await openAiClient(gateway, OTHER_KEY).chat.completions.create({ ...chatBody(how), stream: true })
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      return { text, error: undefined }
    } catch (error) {
      return { text, error }
    }
  }
  for (const [what, how, text, error] of [
    ['whole', 'tokens=5', 'é é é é é ', undefined],
    ['cut after three', 'tokens=5 cut=3', 'é é é ', { code: 'upstream_error' }],
    ['ended after three without an end mark', 'tokens=5 early=3', 'é é é ', { code: 'upstream_error' }],
    ['stalled after three', 'tokens=5 stall=3', 'é é é ', { code: 'upstream_error' }],
    ['a chunk that is no JSON', 'tokens=5 malformed=3', 'é é é ', { code: 'upstream_error' }],
    ['too many requests', 'status=429 after=3', '', { status: 429, headers: expect.anything() }],
    ['first byte too late', 'first=1500', '', { status: 502, code: 'upstream_error' }],
    ['cut before the first token', 'tokens=5 cut=0', '', { status: 502, code: 'upstream_error' }],
  ] as const)
    test(what, async () => {
      const got = await readStream(how)
      expect(got.text).toBe(text)
      if (error) expect(got.error).toMatchObject(error)
      else expect(got.error).toBeUndefined()
    })

  test('on the wire: an error event with a finish reason, then the end mark', async () => {
    const text = await (await post(gateway, { ...chatBody('tokens=5 cut=3'), stream: true })).text()
    const events = text.trim().split('\n\n')
    expect(events.at(-1)).toBe('data: [DONE]')
    expect(JSON.parse(events.at(-2)?.slice(6) ?? '')).toMatchObject({
      id: 'a-1',
      choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
      error: { code: 'upstream_error', type: 'server_error', param: null },
    })
  })
})
