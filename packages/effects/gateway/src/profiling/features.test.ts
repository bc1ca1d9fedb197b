import { fc, test as property } from '@fast-check/vitest'
import { projections } from '@ironlaw/policies/profile'
import { describe, expect, test } from 'vitest'
import { endingOf, firstEmbedding, firstWords, hasCall, meanLogProbability, wholeEvents, WORDS_READ } from './answer-beginning.ts'
import { StreamSample, wholeContent } from './answer-sample.ts'
import { isRefusal } from './refusal.ts'

test.each([
  ["I'm sorry, but I can't help with that.", true],
  ['I’m unable to do this', true],
  ['  **I cannot** say', true],
  ['Es tut mir leid, aber das geht nicht', true],
  ['抱歉，我无法', true],
  ['I can see why you ask', false],
  ['Sure: "I cannot" is how refusals begin', false],
  ['', false],
])('%j refuses: %s', (text, refuses) => expect(isRefusal(text)).toBe(refuses))

describe('the beginning of an answer', () => {
  const whole = (content: string, more = {}) =>
    JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content }, ...more }] })
  const event = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`

  property.prop([fc.string({ unit: 'binary' })])('has the words of a whole answer and of a stream', (text) => {
    const wellFormed = text.toWellFormed()
    const words = firstWords(whole(wellFormed))
    expect(wellFormed.startsWith(words) || words === '').toBe(true)
    if (JSON.stringify(wellFormed).length < WORDS_READ) expect(words).toBe(wellFormed)
    expect(wellFormed.startsWith(firstWords([...wellFormed].map(event).join('')))).toBe(true)
  })

  test('keys inside of strings are no keys', () => {
    const raw = whole('{"finish_reason":"length","content":"x","tool_calls":[{"a":1}]}')
    expect([endingOf(raw), hasCall(raw)]).toEqual([undefined, false])
  })

  test.each([
    ['"stop"', 'stop'],
    ['"tool_calls"', 'tool_calls'],
    ['"made up"', 'other'],
    ['{"a":"stop"}', 'other'],
    ['7', 'other'],
    ['null', undefined],
  ])('finish_reason %s is %s', (value, ending) => expect(endingOf(`{"finish_reason": ${value}}`)).toBe(ending))

  test('the end of a long answer counts, sent whole or as a stream', () => {
    const long = 'word '.repeat(10_000)
    const body = Buffer.from(whole(long, { finish_reason: 'length' }))
    expect(wholeContent(body, 'plain').ending).toBe('length')
    const stream = new StreamSample('plain')
    for (let at = 0; at < 1000; at += 1) stream.record(Buffer.from(event('é word ')))
    stream.record(Buffer.from('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'))
    stream.record(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\ndata: [DONE]\n\n'))
    expect(stream.content().ending).toBe('stop')
    expect(firstWords(stream.content().beginning)).toMatch(/^(?:é word )+$/)
  })
})

describe('log-probabilities', () => {
  const chat = (all: readonly unknown[]) =>
    JSON.stringify({
      choices: [{ logprobs: { content: all.map((logprob) => ({ token: 'a', logprob, top_logprobs: [{ logprob: -9 }] })) } }],
    })

  test('the mean of the tokens, with the other sign', () => {
    expect(meanLogProbability([chat([-1, -2]), chat([-3])])).toBe(2)
    expect(meanLogProbability(['{"choices":[{"logprobs":{"token_logprobs":[null,-1,-3]}}]}'])).toBe(2)
    const events = wholeEvents(`data: ${chat([-4])}\n\ndata: ${chat([-2])}\r\n\r\ndata: [DONE]\n\ndata: {"cut`)
    expect(meanLogProbability(events)).toBe(3)
  })

  test.each([[['-1']], [[1]], [[null]], [[{}]], [[]]])('%j has none', (all) => expect(meanLogProbability([chat(all)])).toBeUndefined())
  test.each(['', '[]', '{"choices":{}}', '{"choices":[{"logprobs":7}]}', '{"choices":[{"logprobs":{"content":"-1"}}]}'])(
    '%j has none',
    (raw) => expect(meanLogProbability([raw])).toBeUndefined(),
  )
})

describe('embeddings', () => {
  const body = (embedding: unknown) => Buffer.from(JSON.stringify({ data: [{ object: 'embedding', index: 0, embedding }], usage: {} }))
  const vector = [0.5, -1, 2, 0, 1, -0.25, 3, 4]
  const base64 = Buffer.from(Float32Array.from(vector).buffer).toString('base64')

  test('are read as numbers, and in base64 where that was asked for', () => {
    expect(firstEmbedding(body(vector), false)).toEqual(vector)
    expect([...((firstEmbedding(body(base64), true) as Float32Array | undefined) ?? [])]).toEqual(vector)
    expect(firstEmbedding(Buffer.from(`{"data":[{"embedding": "${base64}"}]}`), true)).toBeDefined()
  })

  test.each([base64, ['1', '2'], [], {}, 7, null, [[1]], [1, null], 'x'])('%j counts nothing', (value) => {
    const found = firstEmbedding(body(value), false)
    expect(found && projections(found)).toBeUndefined()
  })

  test.each(['x', '', '!!!!', 'AAAA'])('%j is no base64 of numbers', (value) => expect(firstEmbedding(body(value), true)).toBeUndefined())
})
