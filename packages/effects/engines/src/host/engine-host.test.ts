import { createHmac } from 'node:crypto'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { openLlama, type LlamaEngine } from '../llamacpp/llama-engine.ts'
import { hasTorch, seededModel, SMALLEST } from '../llamacpp/seeded-model.fixture.ts'
import { SimulatedEngine } from '../simulated/simulated-engine.ts'
import { type EngineHost, type HostOptions, startEngineHost } from './engine-host.ts'
import type { RequestLine } from './request-line.ts'

const client = (host: EngineHost): OpenAI => new OpenAI({ baseURL: `${host.url}/v1`, apiKey: 'none', maxRetries: 0 })
const messages = [{ role: 'user' as const, content: 'Hi' }]

const simulatedEngine = (step_s = 0.001): SimulatedEngine =>
  new SimulatedEngine({ model: { id: 'm', context_tokens: 4096, slots: 2 }, step_s: () => step_s, prefill_s_per_token: 0 })

async function startHost(options: Partial<HostOptions> = {}): Promise<EngineHost> {
  const host = await startEngineHost({ engine: simulatedEngine(), ...options })
  await host.warm()
  return host
}

const status = async (url: string): Promise<number> => (await fetch(url)).status

describe('readiness', () => {
  test('live at once, ready after the known prompt, not ready while it drains', async () => {
    const engine = simulatedEngine(0.01)
    const host = await startEngineHost({ engine })
    expect([await status(`${host.url}/health`), await status(`${host.url}/ready`)]).toEqual([200, 503])
    await expect(client(host).chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({
      status: 503,
      code: 'server_is_overloaded',
    })
    expect(await host.warm()).toBeUndefined()
    expect(await status(`${host.url}/ready`)).toBe(200)
    const running = client(host).chat.completions.create({ model: 'm', messages, max_tokens: 30 })
    while ((await engine.vitals()).running === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const stopping = host.stop()
    expect(await status(`${host.url}/ready`)).toBe(503)
    await expect(client(host).chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({ status: 503 })
    expect((await running).usage?.completion_tokens).toBe(30)
    await stopping
  })

  test('a replica proves with its readiness that it holds its token', async () => {
    const host = await startHost({ replica_token: 'secret' })
    const { headers } = await fetch(`${host.url}/ready`, { headers: { 'ironlaw-challenge': 'abc' } })
    expect(headers.get('ironlaw-proof')).toBe(createHmac('sha256', 'secret').update('abc').digest('hex'))
    expect((await fetch(`${host.url}/ready`)).headers.get('ironlaw-proof')).toBeNull()
    await host.stop()
  })

  test('the model says which weights it is', async () => {
    const host = await startHost({ weights: 'ab12' })
    expect(await (await fetch(`${host.url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'm', weights: 'ab12' }] })
  })

  test('it says how much memory its process held at most', async () => {
    const host = await startHost({})
    const { data } = (await (await fetch(`${host.url}/v1/models`)).json()) as {
      readonly data: readonly { readonly memory_bytes: number }[]
    }
    // No process of Node holds less, and no machine of ours has more.
    expect(data[0]?.memory_bytes).toBeGreaterThan(2e7)
    expect(data[0]?.memory_bytes).toBeLessThan(1e12)
    await host.stop()
  })

  test('an engine that answers wrong is never ready, and deep health says so', async () => {
    const host = await startEngineHost({ engine: simulatedEngine(), known: { prompt: 'two and two is', text: ' four' } })
    expect(await host.warm()).toMatch(/was answered with/)
    expect([await status(`${host.url}/ready`), await status(`${host.url}/health/deep`)]).toEqual([503, 503])
    await host.stop()
  })
})

describe('where the time went', () => {
  const TIMINGS = z.object({ timings: z.object({ queue_s: z.number(), prefill_s: z.number(), decode_s: z.number() }) })
  const body = { model: 'm', messages, max_tokens: 10 }
  const postChat = (host: EngineHost, more: object): Promise<Response> =>
    fetch(`${host.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ ...body, ...more }) })

  test('in one piece, in the last chunk of a stream, in the log and in the metrics', async () => {
    const lines: RequestLine[] = []
    const host = await startHost({ engine: simulatedEngine(0.005), log: (line) => lines.push(line) })
    const whole = TIMINGS.parse(await (await postChat(host, {})).json()).timings
    // Nine tokens after the first; a timer may be early by a millisecond.
    expect(whole.decode_s).toBeGreaterThan(0.035)
    expect(whole.prefill_s).toBeGreaterThan(0.003)
    expect(lines.at(-1)).toMatchObject({ 'ironlaw.decode_s': whole.decode_s, 'ironlaw.queue_s': whole.queue_s })
    const text = await (await postChat(host, { stream: true, stream_options: { include_usage: true } })).text()
    const last = text.split('\n\n').findLast((event) => event.startsWith('data: {')) ?? ''
    expect(TIMINGS.parse(JSON.parse(last.slice('data: '.length))).timings.decode_s).toBeGreaterThan(0.035)
    expect(await (await fetch(`${host.url}/metrics`)).text()).toMatch(/^vllm:request_decode_time_seconds_count\{model_name="m"\} 2$/m)
    await host.stop()
  })

  test('a request that waits for a place counts as queued; several choices have no single division', async () => {
    const host = await startHost({ engine: simulatedEngine(0.005) })
    const all = await Promise.all([1, 2, 3].map(async () => TIMINGS.parse(await (await postChat(host, {})).json()).timings.queue_s))
    expect(Math.max(...all)).toBeGreaterThan(0.035)
    expect(await (await postChat(host, { n: 2 })).json()).not.toHaveProperty('timings')
    await host.stop()
  })
})

describe('limits', () => {
  test('what finds no place in the queue is refused with the time to wait', async () => {
    const host = await startHost({ engine: simulatedEngine(0.02), max_queued: 1 })
    const ask = () =>
      client(host)
        .completions.create({ model: 'm', prompt: 'x', max_tokens: 10 })
        .then(
          () => 200,
          (error: unknown) => error,
        )
    const all = await Promise.all(Array.from({ length: 6 }, ask))
    expect(all.filter((one) => one === 200)).toHaveLength(3)
    const refused = all.find((one) => one instanceof OpenAI.APIError)
    expect(refused).toMatchObject({ status: 503, code: 'server_is_overloaded' })
    if (refused instanceof OpenAI.APIError) expect(refused.headers?.get('retry-after')).toBe('1')
    await host.stop()
  })

  test.each([
    [{ model: 'other', messages }, 404, 'model_not_found'],
    [{ model: 'm', messages: [] }, 400, 'invalid_value'],
    [{ model: 'm', messages, temperature: 9 }, 400, 'invalid_value'],
    [{ model: 'm', messages, n: 99 }, 400, 'invalid_value'],
    [{ model: 'm', messages, tools: [{}] }, 400, 'invalid_value'],
    [{ model: 'm', messages: [{ role: 'user', content: 'long '.repeat(9000) }] }, 400, 'context_length_exceeded'],
    ['no object', 400, 'invalid_json'],
  ] as const)('%j is %i', async (body, wanted, code) => {
    const host = await startHost()
    const answer = await fetch(`${host.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
    expect([answer.status, await answer.json()]).toEqual([wanted, { error: expect.objectContaining({ code }) }])
    await host.stop()
  })

  test('a body that is too long', async () => {
    const host = await startHost({ body_bytes: 100 })
    const answer = await fetch(`${host.url}/v1/completions`, { method: 'POST', body: 'x'.repeat(1000) })
    expect(answer.status).toBe(413)
    await host.stop()
  })

  test('an engine that breaks: 500 before the first byte, an error event after it', async () => {
    const breaking = new (class extends SimulatedEngine {
      override async *generate(request: Parameters<SimulatedEngine['generate']>[0]) {
        if (request.max_tokens === 2) yield { part: 'text' as const, text: 'a', tokens: 1 }
        if (request.max_tokens !== 16) throw new Error('broken on purpose')
        yield { part: 'ended' as const, reason: 'stop' as const, usage: { prompt_tokens: 1, cached_tokens: 0, completion_tokens: 0 } }
      }
    })({ model: { id: 'm', context_tokens: 4096, slots: 2 }, step_s: () => 0, prefill_s_per_token: 0 })
    const host = await startHost({ engine: breaking })
    await expect(client(host).chat.completions.create({ model: 'm', messages, max_tokens: 1 })).rejects.toMatchObject({ status: 500 })
    const stream = await client(host).chat.completions.create({ model: 'm', messages, max_tokens: 2, stream: true })
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    }
    await expect(read()).rejects.toThrow(/failed/)
    await host.stop()
  })
})

describe.skipIf(!hasTorch())("the official client's requests, to llama.cpp", () => {
  let engine: LlamaEngine
  let host: EngineHost
  const lines: RequestLine[] = []
  beforeAll(async () => {
    engine = await openLlama({ file: seededModel(SMALLEST), id: 'm', threads: 1, slots: 2, embeddings: true })
    host = await startHost({ engine, log: (line) => lines.push(line) })
  }, 60_000)
  afterAll(async () => {
    await host.stop()
    await engine.close()
  })

  test('a stream says the same as one piece, and its usage', async () => {
    const body = { model: 'm', messages, temperature: 0, max_tokens: 20 }
    const whole = await client(host).chat.completions.create(body)
    let text = ''
    let usage: unknown
    const reasons = new Set<string | null>()
    for await (const chunk of await client(host).chat.completions.create({
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      text += chunk.choices[0]?.delta.content ?? ''
      if (chunk.choices[0]) reasons.add(chunk.choices[0].finish_reason)
      usage = chunk.usage ?? usage
    }
    expect(text).toBe(whole.choices[0]?.message.content)
    expect(usage).toMatchObject({ prompt_tokens: whole.usage?.prompt_tokens, completion_tokens: whole.usage?.completion_tokens })
    expect(reasons).toEqual(new Set([null, 'length']))
    expect(lines.at(-1)).toMatchObject({ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.output_tokens': whole.usage?.completion_tokens })
  })

  test('several answers, several prompts, embeddings as floats and as base64, models', async () => {
    const choices = await client(host).chat.completions.create({ model: 'm', messages, n: 3, seed: 5, max_tokens: 8, temperature: 1.5 })
    expect(new Set(choices.choices.map(({ message }) => message.content)).size).toBeGreaterThan(1)
    expect(choices.usage?.completion_tokens).toBeLessThanOrEqual(24)
    const prompts = await client(host).completions.create({ model: 'm', prompt: ['a', 'b'], max_tokens: 4, logprobs: 2 })
    expect(prompts.choices.map(({ index }) => index)).toEqual([0, 1])
    const floats = await client(host).embeddings.create({ model: 'm', input: ['one', 'two'], encoding_format: 'float' })
    const packed = await client(host).embeddings.create({ model: 'm', input: ['one', 'two'] })
    expect(packed.data[1]?.embedding[3]).toBeCloseTo(floats.data[1]?.embedding[3] ?? Number.NaN, 5)
    expect((await client(host).models.list()).data.map(({ id }) => id)).toEqual(['m'])
  })

  test('prompts of token ids are echoed with their log probabilities, as lm-evaluation-harness sends and reads them', async () => {
    const prompt = ['the first prompt', 'another'].map((text) => [...Buffer.from(text)])
    const body = { model: 'm', prompt, temperature: 0, max_tokens: 1, logprobs: 1, seed: 1234, echo: true }
    const { choices, usage } = await client(host).completions.create(body)
    expect(usage).toMatchObject({ prompt_tokens: 23, completion_tokens: 2 })
    for (const [index, { logprobs, text }] of choices.entries()) {
      const [first, ...rest] = logprobs?.token_logprobs ?? []
      expect([first, logprobs?.top_logprobs?.[0]]).toEqual([null, null])
      // The one token that was generated follows.
      expect(rest).toHaveLength(prompt[index]?.length ?? 0)
      expect(rest.every((logprob) => logprob < 0)).toBe(true)
      expect(logprobs?.top_logprobs?.slice(1).every((top) => Object.keys(top).length === 1)).toBe(true)
      expect(text.startsWith(Buffer.from(prompt[index] ?? []).toString())).toBe(true)
    }
    const [alone] = (await client(host).completions.create({ ...body, prompt: prompt.slice(1), max_tokens: 0 })).choices
    expect(alone?.logprobs?.token_logprobs).toEqual(choices[1]?.logprobs?.token_logprobs?.slice(0, -1))
  })

  test('a client that leaves frees the engine, and metrics have the names of vLLM', async () => {
    const stream = await client(host).chat.completions.create({ model: 'm', messages, stream: true })
    for await (const _ of stream) break
    while ((await engine.vitals()).running > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const text = await (await fetch(`${host.url}/metrics`)).text()
    for (const name of [
      'num_requests_running',
      'num_requests_waiting',
      'kv_cache_usage_perc',
      'generation_tokens_total',
      'time_to_first_token_seconds_bucket',
    ])
      expect(text).toMatch(new RegExp(`^vllm:${name}\\{model_name="m"`, 'm'))
    expect(text).toMatch(/vllm:request_success_total\{model_name="m",finished_reason="abort"\} 1/)
  })
})
