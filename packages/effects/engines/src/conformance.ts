// What every serving engine must do, as one suite that each implementation runs on an engine of its own.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GeneratePart, GenerateRequest, ServingEngine } from './engine.ts'

export type Rig = { readonly engine: ServingEngine; readonly stop: () => Promise<void> }

/** What an implementation leaves out, each with the reason. */
export type MissingFeatures = Partial<Record<'embeddings' | 'schema' | 'logprobs' | 'tokens' | 'prefix' | 'began', string>>

const GREEDY = { temperature: 0, top_p: 1, top_k: 0, min_p: 0, frequency_penalty: 0, presence_penalty: 0 }

export const generateRequest = (text: string, over: Partial<GenerateRequest> = {}): GenerateRequest => ({
  prompt: { kind: 'text', text },
  max_tokens: 12,
  sampling: GREEDY,
  stop: [],
  ignore_end: true,
  ...over,
})

type CollectedAnswer = { readonly text: string; readonly parts: readonly GeneratePart[]; readonly last: GeneratePart | undefined }

async function collectAnswer(
  engine: ServingEngine,
  request: GenerateRequest,
  signal = new AbortController().signal,
): Promise<CollectedAnswer> {
  const parts: GeneratePart[] = []
  for await (const part of engine.generate(request, signal)) parts.push(part)
  return { parts, last: parts.at(-1), text: parts.map((part) => (part.part === 'text' ? part.text : '')).join('') }
}

export function engineConformance(name: string, start: () => Promise<Rig>, lacks: MissingFeatures = {}): void {
  let rig: Rig
  const engine = (): ServingEngine => rig.engine
  const unless = (what: keyof MissingFeatures) => test.skipIf(lacks[what] !== undefined)

  describe(`${name} engine`, () => {
    beforeAll(async () => {
      rig = await start()
    }, 60_000)
    afterAll(() => rig.stop())
    testAnswers(engine)
    testLimits(engine)
    testLeaving(engine)

    unless('tokens')('a prompt of token ids', async () => {
      const { last } = await collectAnswer(engine(), generateRequest('', { prompt: { kind: 'tokens', tokens: [104, 105] } }))
      expect(last).toMatchObject({ part: 'ended', usage: { prompt_tokens: 2 } })
    })

    unless('prefix')('what was asked before is not evaluated again', async () => {
      const prompt = 'a prefix that two requests have in common, '.repeat(2)
      await collectAnswer(engine(), generateRequest(`${prompt}one`))
      const { last } = await collectAnswer(engine(), generateRequest(`${prompt}two`))
      expect(last).toMatchObject({ usage: { cached_tokens: expect.toSatisfy((count: number) => count >= prompt.length / 8) } })
    })

    unless('prefix')('but only among requests with the same salt, or with none', async () => {
      const prompt = 'another prefix that several requests share, '.repeat(2)
      const cachedTokens = async (salt: string | undefined): Promise<number> => {
        const { last } = await collectAnswer(engine(), generateRequest(prompt, salt === undefined ? {} : { cache_salt: salt }))
        return last?.part === 'ended' ? last.usage.cached_tokens : Number.NaN
      }
      const salts = ['one', 'two', undefined]
      for (const salt of salts) expect(await cachedTokens(salt)).toBeLessThan(prompt.length / 8)
      for (const salt of salts) expect(await cachedTokens(salt)).toBeGreaterThanOrEqual(prompt.length / 8)
    })

    testBeginning(unless('began'), engine)

    unless('schema')('an answer keeps its schema, as far as it goes', async () => {
      const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'], additionalProperties: false }
      const { text } = await collectAnswer(
        engine(),
        generateRequest('json: ', { form: { kind: 'schema', schema }, max_tokens: 40, ignore_end: false }),
      )
      expect(JSON.parse(text)).toEqual({ ok: expect.any(Boolean) })
    })

    testLogprobs(unless('logprobs'), engine)
    testEcho(unless('logprobs'), engine)

    unless('embeddings')('embeddings: equal for equal texts, different for others', async () => {
      const answer = await engine().embed(['one text', 'one text', 'quite another'], new AbortController().signal)
      if (answer.answer !== 'embedded') throw new Error(answer.reason)
      const [first, second, third] = answer.vectors
      expect(second).toEqual(first)
      expect(third).not.toEqual(first)
      expect(answer.prompt_tokens).toBeGreaterThan(3)
    })
  })
}

function testBeginning(said: (name: string, run: () => Promise<void>) => void, engine: () => ServingEngine): void {
  said('an answer says when its prompt was taken up: at once, or when another has left its place', async () => {
    const asked = performance.now()
    let first_s = Infinity
    const beganSeconds = async (text: string): Promise<number> => {
      for await (const part of engine().generate(generateRequest(text), new AbortController().signal)) {
        if (part.part === 'ended') return part.began_s ?? Number.NaN
        first_s = Math.min(first_s, (performance.now() - asked) / 1000)
      }
      return Number.NaN
    }
    const all = await Promise.all(Array.from({ length: engine().model.slots + 1 }, (_, index) => beganSeconds(`began ${index}`)))
    const waited = all.pop()
    // The request that left had all of its tokens; the first token of any request was long before.
    expect(waited).toBeGreaterThan(first_s)
    expect(waited).toBeLessThan((performance.now() - asked) / 1000)
    for (const began of all) expect(began).toBeLessThanOrEqual(first_s)
  })
}

function testLogprobs(said: (name: string, run: () => Promise<void>) => void, engine: () => ServingEngine): void {
  said('log probabilities: the likeliest first, and the chosen one among them', async () => {
    const { parts } = await collectAnswer(engine(), generateRequest('abc', { alternatives: 3, max_tokens: 4 }))
    const chosen = parts.flatMap((part) => (part.part === 'text' ? (part.chosen ?? []) : []))
    expect(chosen).toHaveLength(4)
    for (const { logprob, alternatives } of chosen) {
      expect(alternatives).toHaveLength(3)
      expect(logprob).toBeCloseTo(Math.max(...alternatives.map((other) => other.logprob)), 5)
      expect(logprob).toBeLessThanOrEqual(0)
    }
  })
}

const PROMPT_IDS = [...Buffer.from('the model reads this and says what it had expected')]

function testEcho(said: (name: string, run: () => Promise<void>) => void, engine: () => ServingEngine): void {
  const echoRequest = (tokens: readonly number[], over: Partial<GenerateRequest> = {}): GenerateRequest =>
    generateRequest('', { prompt: { kind: 'tokens', tokens }, alternatives: 1, echo: true, max_tokens: 0, ...over })
  const chosenOf = ({ parts }: CollectedAnswer) => parts.flatMap((part) => (part.part === 'text' ? (part.chosen ?? []) : []))

  said('an echoed prompt has a log probability for each token but the first, and costs no tokens of an answer', async () => {
    const answer = await collectAnswer(engine(), echoRequest(PROMPT_IDS))
    const [first, ...rest] = chosenOf(answer)
    expect(first).toMatchObject({ logprob: null, alternatives: [] })
    expect(rest).toHaveLength(PROMPT_IDS.length - 1)
    for (const { logprob, alternatives } of rest) expect(logprob).toBeLessThanOrEqual(alternatives[0]?.logprob ?? Number.NaN)
    expect(answer.last).toMatchObject({ usage: { prompt_tokens: PROMPT_IDS.length, completion_tokens: 0 } })
    expect(answer.text).not.toBe('')
  })

  said('what is cached and what runs beside it does not change the log probabilities of a prompt, and neither does its end', async () => {
    const alone = chosenOf(await collectAnswer(engine(), echoRequest(PROMPT_IDS)))
    await collectAnswer(engine(), generateRequest('', { prompt: { kind: 'tokens', tokens: PROMPT_IDS } }))
    expect(chosenOf(await collectAnswer(engine(), echoRequest(PROMPT_IDS)))).toEqual(alone)
    const ends = [0, 3, 7, 11]
    const among = await Promise.all(ends.map((end) => collectAnswer(engine(), echoRequest(PROMPT_IDS.slice(0, PROMPT_IDS.length - end)))))
    for (const [index, end] of ends.entries())
      for (const [place, { logprob }] of chosenOf(among[index] ?? { text: '', parts: [], last: undefined }).entries())
        if (logprob !== null)
          expect([end, place, Math.abs(logprob - (alone[place]?.logprob ?? Number.NaN)) < 1e-5]).toEqual([end, place, true])
  })

  said('the answer follows the echo; without log probabilities the echo is text alone', async () => {
    const whole = await collectAnswer(engine(), generateRequest('echo this', { echo: true, max_tokens: 4 }))
    expect(whole.text.startsWith('echo this')).toBe(true)
    expect(chosenOf(whole)).toEqual([])
    const plain = await collectAnswer(engine(), generateRequest('echo this', { max_tokens: 4 }))
    expect(whole.text.slice('echo this'.length)).toBe(plain.text)
    const scored = chosenOf(await collectAnswer(engine(), echoRequest(PROMPT_IDS, { max_tokens: 1 })))
    expect(scored).toHaveLength(PROMPT_IDS.length + 1)
  })
}

function testAnswers(engine: () => ServingEngine): void {
  test('an answer ends once, with what it cost', async () => {
    const { parts, last, text } = await collectAnswer(engine(), generateRequest('hello there'))
    expect(parts.filter((part) => part.part !== 'text')).toHaveLength(1)
    expect(last).toMatchObject({ part: 'ended', reason: 'length', usage: { completion_tokens: 12 } })
    expect(text).not.toBe('')
  })

  test('a chat', async () => {
    const messages = [{ role: 'system', content: 'You help.' } as const, { role: 'user', content: 'Hi' } as const]
    const { last } = await collectAnswer(engine(), generateRequest('', { prompt: { kind: 'chat', messages } }))
    expect(last).toMatchObject({ part: 'ended', usage: { prompt_tokens: expect.toSatisfy((count: number) => count > 2) } })
  })

  test('the same seed gives the same text, alone and among others', async () => {
    const sampledRequest = (seed: number): GenerateRequest =>
      generateRequest('once upon', { sampling: { ...GREEDY, temperature: 1, seed } })
    const alone = await collectAnswer(engine(), sampledRequest(7))
    const among = await Promise.all([7, 8, 9].map((seed) => collectAnswer(engine(), sampledRequest(seed))))
    expect(among[0]?.text).toBe(alone.text)
    expect(new Set(among.map(({ text }) => text)).size).toBeGreaterThan(1)
  })

  test('a stop string ends the text before it', async () => {
    const { text } = await collectAnswer(engine(), generateRequest('hello there'))
    const stop = text.slice(3, 5)
    const cut = await collectAnswer(engine(), generateRequest('hello there', { stop: [stop] }))
    expect(cut.text).toBe(text.slice(0, text.indexOf(stop)))
    expect(cut.last).toMatchObject({ reason: 'stop' })
  })

  test('more requests than places all get their answers', async () => {
    const { slots } = engine().model
    const all = await Promise.all(
      Array.from({ length: slots * 2 + 1 }, (_, index) => collectAnswer(engine(), generateRequest(`request ${index}`))),
    )
    for (const { last } of all) expect(last).toMatchObject({ part: 'ended', usage: { completion_tokens: 12 } })
    await expect.poll(() => engine().vitals()).toMatchObject({ running: 0, waiting: 0 })
  })
}

function testLimits(engine: () => ServingEngine): void {
  test('a prompt that the context does not hold is refused', async () => {
    const { parts } = await collectAnswer(engine(), generateRequest('long '.repeat(engine().model.context_tokens)))
    expect(parts).toEqual([expect.objectContaining({ part: 'refused', why: 'too-long' })])
  })

  test('an answer ends where the context does', async () => {
    const { max_tokens: _, ...open } = generateRequest('hello')
    const { last } = await collectAnswer(engine(), open)
    if (last?.part !== 'ended') throw new Error('it did not end')
    expect(last.reason).toBe('length')
    expect(last.usage.prompt_tokens + last.usage.completion_tokens).toBe(engine().model.context_tokens)
  })
}

function testLeaving(engine: () => ServingEngine): void {
  test('a client that leaves frees its place', async () => {
    const leave = new AbortController()
    const { max_tokens: _, ...open } = generateRequest('hello')
    const seen: GeneratePart[] = []
    for await (const part of engine().generate(open, leave.signal)) {
      seen.push(part)
      if (seen.length === 2) leave.abort()
    }
    expect(seen.at(-1)).toMatchObject({ part: 'ended', reason: 'aborted' })
    expect(seen.length).toBeLessThan(8)
    await expect.poll(() => engine().vitals()).toMatchObject({ running: 0, waiting: 0 })
  })

  test('a client that leaves while it waits is not served', async () => {
    const { slots } = engine().model
    const running = Array.from({ length: slots }, () => collectAnswer(engine(), generateRequest('busy', { max_tokens: 40 })))
    const leave = new AbortController()
    const waiting = collectAnswer(engine(), generateRequest('never'), leave.signal)
    leave.abort()
    expect((await waiting).parts).toEqual([expect.objectContaining({ part: 'ended', reason: 'aborted' })])
    for (const { last } of await Promise.all(running)) expect(last).toMatchObject({ usage: { completion_tokens: 40 } })
  })
}
