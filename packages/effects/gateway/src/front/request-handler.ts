// The HTTP side: identifies the caller and the model and validates the request. A valid request continues as a `Call`.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ApiError, apiError } from '@ironlaw/contracts'
import { takeRequest } from '@ironlaw/policies/serving'
import { Call, type CallEnding, INTERNAL_ERROR, quotaError } from '../admission/call.ts'
import { type CompletionRequest, parseRequest } from './completion-request.ts'
import { ENDPOINTS, type Endpoint } from './endpoints.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../configuration/directory.ts'
import { contain } from './edge.ts'
import { logLine } from '../reporting/log-line.ts'
import { sendRefusal } from './refusal.ts'
import { type ReplyTarget, type Rates, sendError, sendJson } from './reply.ts'
import { readBody } from './request-body.ts'
import { Seat } from './seat.ts'
import type { ModelEntry } from '@ironlaw/contracts/gateway-snapshot'

const REQUEST_ID = /^[\w.:-]{1,128}$/
const TICK_MS = 50

export class RequestHandler {
  readonly #context: Context
  readonly #calls = new Set<Call>()
  readonly #prefix = `req_${randomBytes(6).toString('hex')}`
  readonly #timer: NodeJS.Timeout
  #count = 0
  /** Answers close their connections from now on. */
  draining = false

  constructor(context: Context) {
    this.#context = context
    this.#timer = setInterval(() => contain(() => this.#tick(), context.unexpected), TICK_MS).unref()
  }

  get running(): number {
    return this.#calls.size
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const requestId = this.#requestId(request)
    const guarded = (act: () => void): void => contain(act, (cause) => this.#crash({ response, requestId }, cause))
    guarded(() => this.#receive({ request, response, requestId, guarded }))
  }

  #receive({ request, response, requestId, guarded }: ReceivedRequest): void {
    const startedAt = this.#context.now()
    if (this.draining) response.setHeader('connection', 'close')
    const refuse = (error: ApiError, to: { readonly rates?: Rates } = {}): void => {
      this.#context.metrics.countAnswer(error.status, error.code)
      sendRefusal({ request, response, requestId, ...to }, error)
    }
    if (this.#context.isStale()) {
      refuse(apiError('configuration_stale', 'this gateway has lost touch with its control plane; try another', { retryAfter_s: 5 }))
      return
    }
    const caller = this.#context.directory.findCaller(request.headers.authorization, Date.now() / 1000)
    if (!caller) {
      refuse(apiError('invalid_api_key', 'no valid key came with the request; send "Authorization: Bearer KEY"'))
      return
    }
    const { tenant } = caller
    const quota = this.#context.directory.quotaOf(tenant, startedAt)
    const rates: Rates = { quota, use: tenant.use }
    const url = request.url ?? ''
    const query = url.indexOf('?')
    const path = query === -1 ? url : url.slice(0, query)
    const endpoint = ENDPOINTS.get(path)
    if (!endpoint) {
      if (path === '/v1/models' || path.startsWith('/v1/models/'))
        this.#models({ request, response, requestId, caller, rates, path, refuse })
      else refuse(apiError('not_found', `there is nothing at ${path.slice(0, 200)}`))
      return
    }
    const problem = headProblem(request)
    if (problem) {
      refuse(problem)
      return
    }
    const verdict = takeRequest(tenant.use, quota, startedAt)
    if (!verdict.ok) {
      refuse(quotaError(tenant, quota, verdict), { rates })
      return
    }
    const seat = new Seat(tenant, this.#context.held)
    response.on('close', () => seat.release())
    const limits = { ...this.#context.directory.snapshot.limits, hold: (bytes: number) => seat.hold(bytes) }
    readBody(request, limits, (body) =>
      guarded(() => {
        if (!Buffer.isBuffer(body)) refuse(body)
        else this.#open({ request, response, requestId, caller, rates, path, refuse }, { endpoint, body, seat, startedAt })
      }),
    )
  }

  close(): void {
    clearInterval(this.#timer)
    for (const call of this.#calls) call.abandon()
  }

  #open(arrived: AuthenticatedRequest, { endpoint, body, seat, startedAt }: ReadRequest): void {
    const { request, response, requestId, caller, rates, path, refuse } = arrived
    const asked = parseRequest(endpoint, body)
    if ('status' in asked) {
      refuse(asked)
      return
    }
    const model = this.#modelFor(asked, caller)
    if ('status' in model) {
      refuse(model)
      return
    }
    const deadline_s = Math.min(
      model.deadline_s,
      headerSeconds(request, 'x-request-timeout-s'),
      headerSeconds(request, 'x-stainless-timeout'),
    )
    const onEnd = (call: Call, ending: CallEnding): void => {
      const { log, now } = this.#context
      this.#calls.delete(call)
      if (log && caller.key.log !== 'none') log.write(logLine(call.opening, ending, now()))
    }
    const call = new Call(
      this.#context,
      {
        request,
        response,
        requestId,
        path,
        caller,
        rates,
        model,
        asked,
        body,
        seat,
        startedAt,
        deadline_s,
      },
      onEnd,
    )
    this.#calls.add(call)
    response.on('close', () => call.abandon())
    call.begin()
  }

  #modelFor({ model }: CompletionRequest, { key }: Caller): ModelEntry | ApiError {
    const { models } = this.#context.directory.snapshot
    const entry = Object.hasOwn(models, model) ? models[model] : undefined
    // A key that may not use a model cannot learn whether the model exists.
    if (!entry || (key.models && !key.models.includes(model)))
      return apiError('model_not_found', `there is no model "${model}" for this key`, { param: 'model' })
    return entry
  }

  #models({ request, response, requestId, caller, rates, path, refuse }: AuthenticatedRequest): void {
    if (request.method !== 'GET') {
      refuse(apiError('method_not_allowed', 'GET is expected'))
      return
    }
    const shown = Object.entries(this.#context.directory.snapshot.models)
      .filter(([id]) => !caller.key.models || caller.key.models.includes(id))
      // Under vLLM's name for it.
      .map(([id, { created, context_tokens }]) => ({ id, object: 'model', created, owned_by: 'ironlaw', max_model_len: context_tokens }))
    const wanted = path.slice('/v1/models/'.length)
    const one = wanted === '' ? undefined : shown.find(({ id }) => id === wanted || encodeURIComponent(id) === wanted)
    if (wanted !== '' && !one) refuse(apiError('model_not_found', 'there is no such model for this key'))
    else {
      this.#context.metrics.countAnswer(200, 'ok')
      sendJson({ response, requestId, rates }, JSON.stringify(one ?? { object: 'list', data: shown }), [])
    }
  }

  #requestId(request: IncomingMessage): string {
    const given = request.headers['x-request-id']
    if (typeof given === 'string' && REQUEST_ID.test(given)) return given
    this.#count += 1
    return this.#prefix + this.#count.toString(36)
  }

  #tick(): void {
    const { now, directory, shadow, unexpected } = this.#context
    const at = now()
    for (const call of this.#calls) call.tick(at)
    for (const pool of directory.pools.values()) contain(() => pool.tick(at), unexpected)
    contain(() => shadow.tick(at), unexpected)
  }

  /** Something threw before the request had become a call. */
  #crash({ response, requestId }: ReplyTarget, cause: unknown): void {
    const { metrics, unexpected } = this.#context
    unexpected(cause)
    metrics.countAnswer(INTERNAL_ERROR.status, INTERNAL_ERROR.code)
    if (response.headersSent) response.destroy()
    else contain(() => sendError({ response, requestId }, INTERNAL_ERROR), unexpected)
  }
}

type ReceivedRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** Runs what comes later for this request; a throw is its answer. */
  readonly guarded: (act: () => void) => void
}

type ReadRequest = { readonly endpoint: Endpoint; readonly body: Buffer; readonly seat: Seat; readonly startedAt: number }

type AuthenticatedRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly caller: Caller
  readonly rates: Rates
  readonly path: string
  readonly refuse: (error: ApiError) => void
}

function headProblem({ method, headers }: IncomingMessage): ApiError | undefined {
  if (method !== 'POST') return apiError('method_not_allowed', 'POST is expected')
  const type = headers['content-type'] ?? 'application/json'
  if (!/^application\/json\s*(?:;|$)/i.test(type)) return apiError('unsupported_media_type', 'application/json is expected')
  return headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity'
    ? undefined
    : apiError('unsupported_media_type', 'a compressed body is not accepted')
}

function headerSeconds({ headers }: IncomingMessage, name: string): number {
  const value = headers[name]
  return typeof value === 'string' && /^\d{1,6}(?:\.\d{1,6})?$/.test(value) && Number(value) > 0 ? Number(value) : Number.POSITIVE_INFINITY
}
