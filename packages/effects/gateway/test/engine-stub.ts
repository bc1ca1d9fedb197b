// An engine without a model: OpenAI's surface with answers of known length, and faults on demand. What a request should meet is said in its
// prompt ("tokens=5 cut=3"), so that it comes through any gateway unchanged. It counts what it served, to be compared with a bill.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type EngineStub = {
  readonly url: string
  readonly served: { requests: number; prompt: number; completion: number; aborted: number; running: number; most: number; chunks: number }
  /** Bodies received, newest last, when kept. */
  readonly bodies: string[]
  readonly heads: IncomingMessage['headers'][]
  readonly stop: () => Promise<void>
}

export type StubOptions = {
  readonly port?: number
  readonly keep?: boolean
  readonly pace_ms?: number
  readonly word?: string
  /** Answers wait for this. */
  readonly gate?: Promise<void>
}

type PromptSettings = Readonly<Record<string, number>>

const PROMPT_TOKENS = 10

export async function startEngineStub({ port = 0, keep = false, pace_ms = 0, word = 'é ', gate }: StubOptions = {}): Promise<EngineStub> {
  const served = { requests: 0, prompt: 0, completion: 0, aborted: 0, running: 0, most: 0, chunks: 0 }
  const bodies: string[] = []
  const heads: IncomingMessage['headers'][] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8')
      if (keep) {
        bodies.push(body)
        heads.push(request.headers)
      }
      served.requests += 1
      served.running += 1
      served.most = Math.max(served.most, served.running)
      response.on('close', () => {
        served.running -= 1
        if (!response.writableFinished) served.aborted += 1
      })
      void answer({ path: request.url ?? '', body, response, served, pace_ms, word, gate })
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => void server.listen({ port, host: '127.0.0.1', backlog: 4096 }, resolve))
  const address = server.address()
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`, served, bodies, heads, stop }
}

type StubRequest = {
  readonly path: string
  readonly body: string
  readonly response: ServerResponse
  readonly served: EngineStub['served']
  readonly pace_ms: number
  readonly word: string
  readonly gate: Promise<void> | undefined
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const promptSettings = (body: string): PromptSettings =>
  Object.fromEntries([...body.matchAll(/\b([a-z]+)=(\d+)/g)].map(([, name, value]) => [name, Number(value)]))

async function answer({ path, body, response, served, pace_ms, word, gate }: StubRequest): Promise<void> {
  const wanted = promptSettings(body)
  const stream = /"stream":\s*true/.test(body)
  const usage = /"include_usage":\s*true/.test(body)
  if (gate) await gate
  if (wanted['first']) await pause(wanted['first'])
  if (wanted['status']) {
    response.writeHead(wanted['status'], {
      'content-type': 'application/json',
      ...(wanted['after'] ? { 'retry-after': String(wanted['after']) } : {}),
    })
    response.end(
      JSON.stringify({ object: 'error', message: 'as you wished', type: 'BadRequestError', param: null, code: wanted['status'] }),
    )
    return
  }
  if (wanted['reset']) {
    response.destroy()
    return
  }
  const most = Number(/"max(?:_completion)?_tokens":\s*(\d+)/.exec(body)?.[1] ?? Number.POSITIVE_INFINITY)
  const tokens = path.endsWith('embeddings') ? 0 : Math.min(most, wanted['tokens'] ?? 5)
  const spent = { prompt_tokens: PROMPT_TOKENS, completion_tokens: tokens, total_tokens: PROMPT_TOKENS + tokens }
  if (stream) {
    await streamAnswer(response, { served, path, tokens, wanted, pace_ms, word, spent: usage ? spent : undefined })
    if (!response.writableEnded) return
  } else {
    if (wanted['whole']) await pause(wanted['whole'])
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(unaryBody({ path, tokens, word, spent }))
  }
  served.prompt += PROMPT_TOKENS
  served.completion += tokens
}

type UnaryAnswer = { readonly path: string; readonly tokens: number; readonly word: string; readonly spent: object }

function unaryBody({ path, tokens, word, spent }: UnaryAnswer): string {
  if (path.endsWith('embeddings'))
    return JSON.stringify({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.25, -1] }], model: 'm', usage: spent })
  const text = word.repeat(tokens)
  const choice = path.endsWith('chat/completions') ? { message: { role: 'assistant', content: text } } : { text }
  const object = path.endsWith('chat/completions') ? 'chat.completion' : 'text_completion'
  return JSON.stringify({
    id: 'a-1',
    object,
    created: 1,
    model: 'm',
    choices: [{ index: 0, ...choice, finish_reason: 'stop' }],
    usage: spent,
  })
}

type StreamedAnswer = {
  readonly served: EngineStub['served']
  readonly path: string
  readonly tokens: number
  readonly wanted: PromptSettings
  readonly pace_ms: number
  readonly word: string
  readonly spent: object | undefined
}

async function streamAnswer(
  response: ServerResponse,
  { served, path, tokens, wanted, pace_ms, word, spent }: StreamedAnswer,
): Promise<void> {
  const chat = path.endsWith('chat/completions')
  const common = { id: 'a-1', object: chat ? 'chat.completion.chunk' : 'text_completion', created: 1, model: 'm' }
  const event = (data: object): string => `data: ${JSON.stringify({ ...common, ...data })}\n\n`
  const choice = (text: string, finish: string | null): object => ({
    choices: [{ index: 0, ...(chat ? { delta: finish ? {} : { content: text } } : { text }), finish_reason: finish }],
  })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (let token = 0; token < tokens; token += 1) {
    served.chunks += 1
    if (wanted['cut'] === token) {
      // What was written before is to arrive before the reset does.
      await pause(30)
      response.destroy()
      return
    }
    if (wanted['early'] === token) {
      response.end()
      return
    }
    if (wanted['stall'] === token) await pause(60_000)
    if (wanted['malformed'] === token) response.write('data: {"choices":[{"delta"\n\n')
    if (wanted['pace'] ?? pace_ms) await pause(wanted['pace'] ?? pace_ms)
    if (response.destroyed) return
    if (wanted['split']) {
      const bytes = Buffer.from(event(choice(word, null)))
      response.write(bytes.subarray(0, 7))
      await pause(1)
      response.write(bytes.subarray(7))
    } else if (!response.write(event(choice(word, null)))) await waitForDrain(response)
  }
  response.write(event(choice('', 'stop')))
  if (spent) response.write(event({ choices: [], usage: spent }))
  response.end('data: [DONE]\n\n')
}

function waitForDrain(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = (): void => {
    response.off('drain', done).off('close', done)
    resolve()
  }
  response.on('drain', done).on('close', done)
  return promise
}
