// Every reader of server-sent events, over HTTP, with what the standard allows a server to send.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventData } from '@ironlaw/contracts/event-stream'
import { VllmEngine } from '@ironlaw/engines/vllm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chatStream } from '../packages/apps/cli/src/gateway/chat-stream.ts'
import { watch } from '../packages/apps/cli/src/api/api-client.ts'

/** One event with the data given. */
type Framing = (json: string) => string

const FRAMINGS: readonly (readonly [name: string, frame: Framing])[] = [
  ['line feeds', (json) => `data: ${json}\n\n`],
  ['carriage returns and line feeds', (json) => `data: ${json}\r\n\r\n`],
  ['no space after the colon', (json) => `data:${json}\n\n`],
  ['comments before, within and after', (json) => `: ping\n\n: ping\ndata: ${json}\n: ping\n\n: ping\n\n`],
  ['other fields around the data', (json) => `id: 7\nevent: step\ndata: ${json}\nretry: 10\n\n`],
  ['data of several lines', (json) => `${JSON.stringify(JSON.parse(json), undefined, 1).replaceAll(/^/gm, 'data: ')}\n\n`],
]

const SPLITS: readonly (readonly [name: string, split: (bytes: Buffer) => readonly Buffer[]])[] = [
  ['at once', (bytes) => [bytes]],
  ['byte by byte', (bytes) => Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))],
  ['in the middle of a character', (bytes) => [bytes.subarray(0, bytes.indexOf('€') + 1), bytes.subarray(bytes.indexOf('€') + 1)]],
]

const WORDS = ['one', 'two €', 'three']

const event = (word: string): object => ({ cursor: word, stream: 's', sequence: 1, at: 1, kind: 'k', actor: 'a', body: {}, hash: 'h' })
const piece = (word: string): object => ({ choices: [{ text: word, delta: { content: word }, finish_reason: null }] })

let pieces: readonly Buffer[] = []
const server = createServer((_request, response) => void sendPieces(response))

async function sendPieces(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const bytes of pieces) {
    response.write(bytes)
    await nextTurn()
  }
  response.end()
}

let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

async function collect(words: AsyncIterable<string>, count = Infinity): Promise<readonly string[]> {
  const found: string[] = []
  for await (const word of words) if (found.push(word) === count) break
  return found
}

type Reader = { readonly say: (word: string) => object; readonly ends: string; readonly read: () => Promise<readonly string[]> }

const READERS: Readonly<Record<string, Reader>> = {
  'the parser, without a network between': { say: piece, ends: '', read: () => collect(textsIn(eventData(pieces))) },
  'events of a control plane': { say: event, ends: '', read: () => collect(cursorsIn(url), WORDS.length) },
  'an answer of a gateway': { say: piece, ends: '[DONE]', read: () => collect(answerOf(url)) },
  'an answer of vLLM': { say: piece, ends: '[DONE]', read: () => collect(generatedBy(url)) },
}

describe.each(Object.entries(READERS))('%s', (_, { say, ends, read }) => {
  test.each(FRAMINGS.flatMap(([framing, frame]) => SPLITS.map(([way, split]) => ({ framing, frame, way, split }))))(
    '$framing, $way',
    async ({ frame, split }) => {
      const text = WORDS.map((word) => frame(JSON.stringify(say(word)))).join('') + (ends === '' ? '' : `data: ${ends}\n\n`)
      pieces = split(Buffer.from(text))
      expect(await read()).toEqual(WORDS)
    },
  )
})

async function* textsIn(events: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const data of events) yield (JSON.parse(data) as { choices: { text: string }[] }).choices[0]?.text ?? ''
}

async function* cursorsIn(api: string): AsyncGenerator<string> {
  for await (const { cursor } of watch({ api, token: 't' }, '/v1/events', new AbortController().signal)) yield cursor
}

async function* answerOf(gateway: string): AsyncGenerator<string> {
  const question = { model: 'm', messages: [] }
  for await (const part of chatStream({ url: gateway, key: 'k' }, question, new AbortController().signal))
    if ('text' in part) yield part.text
}

async function* generatedBy(engine: string): AsyncGenerator<string> {
  const sampling = { temperature: 0, top_p: 1, top_k: 0, min_p: 0, frequency_penalty: 0, presence_penalty: 0 }
  const request = { prompt: { kind: 'text', text: 'x' }, sampling, stop: [], ignore_end: false } as const
  const vllm = new VllmEngine({ url: engine, slots: 1 }, { id: 'm', context_tokens: 100, slots: 1 })
  for await (const part of vllm.generate(request, new AbortController().signal)) if (part.part === 'text') yield part.text
}
