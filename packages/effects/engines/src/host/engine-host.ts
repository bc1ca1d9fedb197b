// An engine behind OpenAI's API: ready when it has answered a known prompt, refuses what it cannot hold, drains before it ends.

import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { followCertificate, type LiveCertificate, secureOptions } from '@ironlaw/certificates'
import { type ApiError, apiError, errorBody, retryHeaders } from '@ironlaw/contracts'
import type { ServingEngine } from '../engine.ts'
import { DeepHealth } from './deep-health.ts'
import { answerEmbeddings } from './embeddings.ts'
import { answerStream, answerWhole, type Outcome } from './generation.ts'
import { HostMetrics } from './host-metrics.ts'
import { type KnownAnswer, checkKnownAnswer } from './known-answer.ts'
import { chatCall, completionCall, type EmbedCall, embedCall, type GenerateCall } from './openai-request.ts'
import { BodyReader } from './request-body.ts'
import { type RequestLine, requestLine } from './request-line.ts'

export type HostOptions = {
  readonly engine: ServingEngine
  readonly host?: string
  readonly port?: number
  /** Answers that wait for a place; one more is refused. Twice the places where absent: more would wait longer than a client does. */
  readonly max_queued?: number
  readonly body_bytes?: number
  /** From the first byte of a request to its last. */
  readonly body_s?: number
  readonly max_connections?: number
  /** An answer in one piece is held until it is complete. */
  readonly answer_bytes?: number
  /** A client that reads nothing for this long is disconnected, to free its place. */
  readonly reader_stall_s?: number
  /** What the engine must answer to be the one that was exported. */
  readonly known?: KnownAnswer
  /** Digest of the weights, for evaluations to say what they are of. */
  readonly weights?: string
  readonly log?: (line: RequestLine) => void
  /** The token of the replica that this is: proves to the control plane that the port is still held by it. */
  readonly replica_token?: string
  /** Served with it, and only clients with a certificate of its authority are answered. */
  readonly certificate?: LiveCertificate
}

export type EngineHost = {
  readonly url: string
  /** Answers a known prompt; ready from then on. Undefined when all is well, else what is not. */
  readonly warm: () => Promise<string | undefined>
  readonly stop: (options?: { readonly drain_s?: number }) => Promise<void>
}

const BODY_BYTES = 4_194_304
/** Of all bodies that are read at once: 64 of the largest. */
const BODIES_BYTES = 64 * BODY_BYTES
const BODY_S = 30
const HEADERS_MS = 10_000
const KEEP_ALIVE_MS = 75_000
/** How late a time limit may be noticed. */
const CHECK_MS = 1000
/** Sixteen gateways with 64 requests each; a connection costs some 30 kB. */
const MOST_CONNECTIONS = 1024
/** 16 choices of 4,096 tokens with 20 alternatives each would be 130 MB. */
const ANSWER_BYTES = 33_554_432
const READER_STALL_S = 60
const RETRY_AFTER_S = 1
/** The unit in which the system reports the memory of a process. */
const KIB = 1024
const POLL_MS = 20

export async function startEngineHost(options: HostOptions): Promise<EngineHost> {
  const { host = '127.0.0.1', port = 0, body_s = BODY_S, max_connections = MOST_CONNECTIONS } = options
  const face = new RequestHandler(options)
  const limits = {
    headersTimeout: Math.min(HEADERS_MS, 1000 * body_s),
    requestTimeout: 1000 * body_s,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  const server = hostServer(options.certificate, { noDelay: true, ...limits }, (request, response) => void face.handle(request, response))
  server.maxConnections = max_connections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 4096 }, resolve)
  })
  const address = server.address()
  const stop = async ({ drain_s = 30 }: { readonly drain_s?: number } = {}): Promise<void> => {
    face.state = 'draining'
    const until = performance.now() + 1000 * drain_s
    while (face.running > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `${options.certificate ? 'https' : 'http'}://${host}:${typeof address === 'object' ? address?.port : port}`,
    warm: () => face.warm(),
    stop,
  }
}

function hostServer(certificate: LiveCertificate | undefined, limits: ServerOptions, handler: RequestListener): Server {
  if (!certificate) return createServer(limits, handler)
  const mutual = { requestCert: true, rejectUnauthorized: true }
  const server = createSecureServer({ ...limits, ...secureOptions(certificate.current()), ...mutual }, handler)
  followCertificate(server, certificate)
  return server
}

class RequestHandler {
  readonly #options: HostOptions
  readonly #metrics = new HostMetrics()
  readonly #health = new DeepHealth(() => this.warm())
  readonly #bodies: BodyReader
  #known: KnownAnswer | undefined
  #count = 0
  state: 'starting' | 'ready' | 'draining' = 'starting'
  running = 0

  constructor(options: HostOptions) {
    this.#options = options
    this.#known = options.known
    this.#bodies = new BodyReader({ one_bytes: options.body_bytes ?? BODY_BYTES, all_bytes: BODIES_BYTES })
  }

  async warm(): Promise<string | undefined> {
    const answer = await checkKnownAnswer(this.#options.engine, this.#known)
    if (!answer.right) return `the known prompt was answered with ${JSON.stringify(answer.text)}`
    this.#known = answer.known
    if (this.state === 'starting') this.state = 'ready'
    return undefined
  }

  /** The edge: whatever is thrown inside becomes this request's answer, never the end of the process. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now()
    try {
      const path = (request.url ?? '').split('?')[0] ?? ''
      if (this.state === 'draining') response.setHeader('connection', 'close')
      if (request.method === 'POST') await this.#post(path, request, response)
      else await this.#get(path, request, response)
    } catch (cause) {
      this.#metrics.countFinished('error', (performance.now() - began) / 1000, undefined)
      console.error(cause)
      refuse(response, apiError('engine_failed', 'the engine failed while it answered'))
    }
  }

  async #get(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { engine } = this.#options
    if (path === '/health' || path === '/ping') return sendText(response, 200, 'live\n')
    const challenge = request.headers['ironlaw-challenge']
    const { replica_token } = this.#options
    if (path === '/ready' && replica_token !== undefined && typeof challenge === 'string')
      response.setHeader('ironlaw-proof', createHmac('sha256', replica_token).update(challenge).digest('hex'))
    if (path === '/ready') return sendText(response, this.state === 'ready' ? 200 : 503, `${this.state}\n`)
    if (path === '/health/deep') {
      const problem = await this.#health.verdict()
      return sendText(response, problem === undefined ? 200 : 503, `${problem ?? 'right'}\n`)
    }
    if (path === '/metrics') return sendText(response, 200, this.#metrics.text(engine.model, await engine.vitals()))
    const { id, context_tokens, instrument } = engine.model
    const { weights } = this.#options
    const memory_bytes = KIB * process.resourceUsage().maxRSS
    const said = { ...instrument, ...(weights !== undefined && { weights }), memory_bytes }
    const model = { id, object: 'model', created: 0, owned_by: 'ironlaw', max_model_len: context_tokens, ...said }
    if (path === '/v1/models') return sendJson(response, { object: 'list', data: [model] })
    if (path === `/v1/models/${encodeURIComponent(id)}`) return sendJson(response, model)
    return refuse(response, apiError('not_found', `there is nothing at ${path.slice(0, 200)}`))
  }

  async #post(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now()
    const parse = PARSERS.get(path)
    if (!parse) return refuse(response, apiError('not_found', `there is nothing at ${path.slice(0, 200)}`))
    const read = await this.#parseCall(parse, request)
    if ('status' in read) {
      this.#metrics.countRefused()
      return refuse(response, read)
    }
    const { call } = read
    const places = 'requests' in call ? call.requests.length : 1
    this.running += places
    try {
      const outcome = await this.#answerCall(call, response)
      this.#recordOutcome(call, outcome, (performance.now() - began) / 1000)
      if (outcome.outcome === 'refused') refuse(response, outcome.error)
    } finally {
      this.running -= places
    }
  }

  async #parseCall(parse: Parser, request: IncomingMessage): Promise<{ readonly call: GenerateCall | EmbedCall } | ApiError> {
    const body = await this.#bodies.read(request)
    if ('problem' in body) return body.problem
    const call = parse(body.json)
    if ('status' in call) return call
    const { id } = this.#options.engine.model
    if (call.model !== id)
      return apiError('model_not_found', `this engine serves ${JSON.stringify(id)}, not ${JSON.stringify(call.model.slice(0, 200))}`, {
        param: 'model',
      })
    return this.#overloadError('requests' in call ? call.requests.length : 1) ?? { call }
  }

  /** Places are counted before anything is generated, so that what is admitted waits for at most `max_queued` others. */
  #overloadError(places: number): ApiError | undefined {
    const { engine, max_queued = 2 * engine.model.slots } = this.#options
    if (this.state !== 'ready') return apiError('server_is_overloaded', `the engine is ${this.state}`, { retryAfter_s: RETRY_AFTER_S })
    if (this.running + places > engine.model.slots + max_queued)
      return apiError('server_is_overloaded', `${this.running} answers are being made or wait`, { retryAfter_s: RETRY_AFTER_S })
    return undefined
  }

  async #answerCall(call: GenerateCall | EmbedCall, response: ServerResponse): Promise<Outcome> {
    const { engine, reader_stall_s = READER_STALL_S, answer_bytes = ANSWER_BYTES } = this.#options
    const leaving = new AbortController()
    response.on('close', () => leaving.abort())
    // A write that comes too late for its client is no reason to end the process.
    response.on('error', () => leaving.abort())
    response.setTimeout(1000 * reader_stall_s, () => {
      // An answer that was ended never needs to drain, and is held until it was taken all the same.
      const isUntaken = response.writableEnded && !response.writableFinished
      if (response.writableNeedDrain || isUntaken) response.destroy()
    })
    if ('texts' in call) return answerEmbeddings({ engine, call, response, signal: leaving.signal, answer_bytes })
    const id = `${call.operation === 'chat' ? 'chatcmpl' : 'cmpl'}-${process.pid.toString(36)}-${(this.#count += 1).toString(36)}`
    const head = { id, created: Math.floor(Date.now() / 1000), model: call.model, operation: call.operation }
    const generating = { engine, metrics: this.#metrics, call, head, response, signal: leaving.signal, answer_bytes }
    return call.stream ? answerStream(generating) : answerWhole(generating)
  }

  #recordOutcome(call: GenerateCall | EmbedCall, outcome: Outcome, took_s: number): void {
    const { log } = this.#options
    if (outcome.outcome === 'refused') this.#metrics.countRefused()
    else this.#metrics.countFinished(outcome.outcome === 'aborted' ? 'abort' : (outcome.reasons[0] ?? 'stop'), took_s, outcome.usage)
    log?.(requestLine(call, outcome, took_s))
  }
}

type Parser = (body: unknown) => GenerateCall | EmbedCall | ApiError

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ['/v1/chat/completions', chatCall],
  ['/v1/completions', completionCall],
  ['/v1/embeddings', embedCall],
])

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4' })
  response.end(text)
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** In a stream the status is gone: clients notice an event with `error` (as vLLM sends it). */
function refuse(response: ServerResponse, error: ApiError): void {
  if (response.writableEnded || response.destroyed) return
  if (response.headersSent) {
    response.end(`data: ${errorBody(error)}\n\ndata: [DONE]\n\n`)
    return
  }
  // A client that still sends an unread body would keep the connection open.
  if (!response.req.complete) response.setHeader('connection', 'close')
  response.writeHead(error.status, ['content-type', 'application/json', ...retryHeaders(error)])
  response.end(errorBody(error))
}
