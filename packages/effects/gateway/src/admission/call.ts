// One request of a client, from its admission to its end. Whatever the way out, what was taken for it (quota, money, a place in the pool)
// is given back in one function, once.

import { earnRetry, hashOfText, type Quota, type QuotaVerdict, settleTokens, spendRetry, takeTokens } from '@ironlaw/policies/serving'
import { type ApiError, apiError } from '@ironlaw/contracts'
import type { AnswerPair } from '../delivery/answer-pair.ts'
import type { Refusal, Reservation } from '../budget/budgets.ts'
import { estimatedPrompt, mostOutput } from '../front/completion-request.ts'
import type { Context } from '../context.ts'
import { type CallEffect, type CallEvent, type CallResult, type CallState, newCall, transition } from '../delivery/call-state.ts'
import { Delivery } from '../delivery/delivery.ts'
import type { IncomingAnswer } from '../delivery/incoming-answer.ts'
import type { Tenant } from '../configuration/directory.ts'
import { contain } from '../front/edge.ts'
import type { CallOpening } from '../front/opening.ts'
import { type ExpectedTokens, outgoingRequest } from '../delivery/outgoing-request.ts'
import { chosenPool, type ModelPools, modelPools } from './model-pools.ts'
import type { Pool, WaitingCall } from './pool.ts'
import { sendError, sendJson } from '../front/reply.ts'
import { ResponseCache } from './response-cache.ts'
import type { ModelEntry } from '@ironlaw/contracts/gateway-snapshot'
import type { Usage } from '../delivery/usage.ts'

export type CallEnding = {
  readonly status: number
  /** "ok", or the code of the error that the client saw, or "client_left". */
  readonly outcome: string
  readonly prompt: number
  readonly completion: number
  readonly cached: number
  readonly replica: string | undefined
  readonly firstByte_s: number | undefined
  readonly attempts: number
}

const OPERATIONS = { chat: 'chat', completions: 'text_completion', embeddings: 'embeddings' } as const
/** Steps of an answer that count in what it takes at the least: the first tokens, not the most it may have. */
const FIRST_STEPS = 16

/** Where a request has its place. */
type Place =
  | { readonly kind: 'none' }
  | { readonly kind: 'queued'; readonly pool: Pool; readonly ticket: WaitingCall }
  | { readonly kind: 'running'; readonly pool: Pool }

export class Call {
  readonly opening: CallOpening
  readonly #context: Context
  readonly #onEnd: (call: Call, ending: CallEnding) => void
  readonly #expected: ExpectedTokens
  readonly #cacheKey: string | undefined
  readonly #delivery: Delivery
  #state: CallState<IncomingAnswer> = newCall()
  #place: Place = { kind: 'none' }
  #quotaTaken = false
  #reservation: Reservation | undefined

  constructor(context: Context, opening: CallOpening, onEnd: (call: Call, ending: CallEnding) => void) {
    this.#context = context
    this.opening = opening
    this.#onEnd = onEnd
    const { asked, model, caller, path, body } = opening
    this.#expected = { prompt: estimatedPrompt(asked), output: mostOutput(asked, model) }
    this.#cacheKey = caller.key.cache_s > 0 && !asked.stream ? ResponseCache.keyOf({ tenant: caller.tenant.name, path, body }) : undefined
    this.#delivery = new Delivery(context, opening, { expected: this.#expected, call: this })
  }

  begin(): void {
    this.#contain(() => this.#admit())
  }

  get state(): CallState<IncomingAnswer> {
    return this.#state
  }

  dispatch(event: CallEvent<IncomingAnswer>): void {
    const { state, effects } = transition(this.#state, event)
    this.#state = state
    // One that throws ends the request, and keeps none of the others from being carried out.
    for (const effect of effects) this.#contain(() => this.#perform(effect))
  }

  #perform(effect: CallEffect<IncomingAnswer>): void {
    const { metrics } = this.#context
    const { retries } = this.opening.caller.tenant
    switch (effect.do) {
      case 'choose-pool':
        this.#leavePool(0)
        this.#choosePool(effect.from)
        return
      case 'send':
        this.#send()
        return
      case 'retry':
        if (spendRetry(retries)) {
          metrics.count('retries')
          this.#send()
        } else this.dispatch({ kind: 'unsent', canMove: false })
        return
      case 'hedge':
        if (spendRetry(retries) && this.#send()) metrics.count('hedges')
        return
      case 'return-money':
        this.#reservation?.settle(0)
        return
      case 'finish':
        this.#finish(effect.result, effect.attempt)
        return
      case 'record-start':
      case 'leave':
      case 'forget-answer':
      case 'blame':
      case 'blame-unconfirmed':
      case 'count':
        this.#delivery.perform(effect)
    }
  }

  #send(): boolean {
    return this.#state.kind !== 'done' && this.#place.kind === 'running' && this.#delivery.send(this.#place.pool)
  }

  #admit(): void {
    const { caller, model, startedAt } = this.opening
    const { tenant } = caller
    const { prompt } = this.#expected
    if (prompt > model.context_tokens) {
      this.#refuse(apiError('context_length_exceeded', `the prompt has about ${prompt} tokens, the model takes ${model.context_tokens}`))
      return
    }
    const quota = this.#context.directory.quotaOf(tenant, startedAt)
    const verdict = takeTokens(tenant.use, quota, { tokens: this.#tokens, now: startedAt })
    if (!verdict.ok) {
      this.#refuse(quotaError(tenant, quota, verdict))
      return
    }
    this.#quotaTaken = true
    const found = this.#cacheKey && this.#context.cache.get(this.#cacheKey, startedAt - caller.key.cache_s)
    if (found) {
      this.#context.metrics.count('cache_hits')
      this.dispatch({ kind: 'completed', result: { kind: 'cached', body: found } })
    } else if (tenant.entry.budget === undefined) this.dispatch({ kind: 'admitted' })
    else this.#reserve(tenant.entry.budget)
  }

  tick(now: number): void {
    this.#contain(() => this.#tick(now))
  }

  #tick(now: number): void {
    const { startedAt, deadline_s } = this.opening
    if (now <= startedAt + deadline_s) this.#delivery.tick(now)
    else this.#refuse(apiError('deadline_exceeded', 'the time given for the answer is up'))
  }

  /** The client is gone: stops the engine. */
  abandon(): void {
    this.dispatch({ kind: 'client-left' })
  }

  get #tokens(): number {
    return this.#expected.prompt + this.#expected.output
  }

  /** Sets aside the most that the request can cost. */
  #reserve(budget: string): void {
    const { asked, model } = this.opening
    const worst = price({ prompt: asked.promptBytes, completion: this.#expected.output }, model)
    const held = this.#context.budgets.reserve(budget, worst)
    if (held instanceof Promise)
      void held.then(
        (later) => this.#contain(() => this.#onReserved(later)),
        (cause: unknown) => this.onThrow(cause),
      )
    else this.#onReserved(held)
  }

  #onReserved(held: Reservation | Refusal): undefined {
    if ('settle' in held) {
      this.#reservation = held
      this.dispatch({ kind: 'admitted' })
      return
    }
    if (held.refused === 'unavailable') {
      this.#context.metrics.count('budget_faults')
      this.#refuse(apiError('budget_unavailable', 'what is left of the budget cannot be asked now', { retryAfter_s: 2 }))
      return
    }
    const { spent_nusd: spent, reserved_nusd: reserved, limit_nusd: limit } = held
    const usd = (nusd: number): string => (nusd / 1e9).toFixed(6)
    const account = `${usd(spent)} USD spent, ${usd(reserved)} reserved by running requests, ${usd(limit - spent - reserved)} free`
    this.#refuse(apiError('insufficient_quota', `the budget does not cover this request: ${account}`))
  }

  /** Chooses the pool and starts there, waits there, or is shed. What a trial could not take, or did not answer, goes to a pool that serves. */
  #choosePool(from: 'all' | 'serving'): void {
    if (this.#state.kind === 'done') return
    const { caller, asked, startedAt, deadline_s } = this.opening
    const { draw, now, directory } = this.#context
    const side = asked.session === undefined ? draw() : hashOfText(asked.session) / 2 ** 32
    const pool = directory.pools.get(chosenPool(this.#targets, { from, side }) ?? '')
    if (!pool) {
      this.#refuse(apiError('server_is_overloaded', 'the model has no replicas now', { retryAfter_s: 5 }))
      return
    }
    if (from === 'all') pool.arrived += 1
    const { key, tenant } = caller
    const { step_s, prefill_s_per_token } = pool.entry
    const { prompt, output } = this.#expected
    const admission = pool.admit({
      tokens: this.#tokens,
      service_s: prompt * prefill_s_per_token + Math.min(output, FIRST_STEPS) * step_s,
      deadline_s: deadline_s - (now() - startedAt),
      priority: key.priority,
    })
    if ((admission.do === 'shed' || pool.replicas.length === 0) && this.pools().trials.includes(pool)) {
      this.#choosePool('serving')
      return
    }
    if (admission.do === 'shed') {
      const { why, retryAfter_s } = admission
      this.#refuse(apiError('server_is_overloaded', `all replicas are busy (${why})`, { retryAfter_s }))
      return
    }
    const ticket: WaitingCall = {
      place: { tenant: tenant.name, weight: tenant.entry.weight, priority: key.priority },
      tokens: this.#tokens,
      start: () => this.#contain(() => this.#start(pool, ticket)),
      // The pool was removed: one that a trial did not answer looks among what serves.
      elsewhere: () => this.#contain(() => this.#choosePool(from)),
    }
    if (admission.do === 'start') {
      this.#start(pool, ticket)
      return
    }
    this.#place = { kind: 'queued', pool, ticket }
    pool.enqueue(ticket)
  }

  /** As configured now: the model may have changed while the request waited. */
  get #targets(): ModelEntry['targets'] {
    const { asked, model } = this.opening
    return (this.#context.directory.snapshot.models[asked.model] ?? model).targets
  }

  pools(): ModelPools {
    return modelPools(this.#targets, this.#context.directory.pools)
  }

  #start(pool: Pool, ticket: WaitingCall): void {
    const isFirst = this.#state.past.sent === 0
    this.#place = { kind: 'running', pool }
    pool.recordStart(ticket)
    // Once for a request, also where the trial that it was meant for had no replica.
    if (isFirst && !this.#state.past.wasOnTrial) earnRetry(this.opening.caller.tenant.retries)
    this.dispatch({ kind: 'placed' })
    // A request that has ended already is not copied, and one that went on to another pool was copied there.
    const isHere = this.#place.kind === 'running' && this.#place.pool === pool
    if (isFirst && isHere) this.#delivery.pair = this.#sendShadow(pool)
  }

  /** Gives the place up, with the tokens that were finished there. */
  #leavePool(tokens: number): void {
    const place = this.#place
    this.#place = { kind: 'none' }
    if (place.kind === 'queued') place.pool.leave(place.ticket)
    if (place.kind === 'running') place.pool.recordEnd(tokens)
  }

  #sendShadow({ name }: Pool): AnswerPair | undefined {
    const { model, asked, caller } = this.opening
    const { draw, directory, shadow, now } = this.#context
    if (!model.shadow) return undefined
    const { pool, share, of = name } = model.shadow
    const mirror = of === name && draw() < share ? directory.pools.get(pool) : undefined
    const salt = directory.cacheSalt(caller, asked.cacheSalt)
    const towards = { expected: this.#expected, cached: 0, salt, now: now() }
    const { first_byte_s } = model
    return (
      mirror &&
      shadow.send(mirror, (host) => outgoingRequest(this.opening, { ...towards, pool: mirror, host }), { asked, first_byte_s, now, draw })
    )
  }

  #refuse(error: ApiError): void {
    this.dispatch({ kind: 'failed', error })
  }

  /** The client's answer, and the end of everything that the request holds, whatever throws on the way. */
  #finish(result: CallResult, attempt: IncomingAnswer | undefined): void {
    let ending: CallEnd = { status: INTERNAL_ERROR.status, outcome: INTERNAL_ERROR.code }
    contain(
      () => (ending = this.#reply(result, attempt)),
      (cause) => {
        const { response } = this.opening
        this.#context.unexpected(cause)
        if (!response.headersSent) contain(() => sendError(this.opening, INTERNAL_ERROR), this.#context.unexpected)
        else if (!response.writableEnded) response.destroy()
      },
    )
    const said = result.kind === 'cut' ? attempt?.usage : 'usage' in result ? result.usage : undefined
    const passedOn = attempt?.passedOn ?? 0
    const usage = said ?? { prompt: passedOn > 0 ? this.#expected.prompt : 0, completion: passedOn, cached: 0 }
    this.#release({ ...ending, usage, firstByteAt: attempt?.firstByteAt })
  }

  #reply(result: CallResult, attempt: IncomingAnswer | undefined): CallEnd {
    const { metrics, cache, now } = this.#context
    attempt?.tally(result, { expectedPrompt: this.#expected.prompt, now: now() })
    switch (result.kind) {
      case 'cached':
        sendJson(this.opening, result.body, ['x-cache', 'hit'])
        return { status: 200, outcome: 'ok' }
      case 'body':
        sendJson(this.opening, result.body, [])
        if (this.#cacheKey) cache.put(this.#cacheKey, result.body, now())
        this.#delivery.pair?.complete('served')
        attempt?.profile(result)
        return { status: 200, outcome: 'ok' }
      case 'stream':
        if (result.outcome === 'ok') this.#delivery.pair?.complete('served')
        attempt?.profile(result)
        return { status: 200, outcome: result.outcome }
      case 'cut':
        metrics.count('streams_cut')
        attempt?.cut(result.error)
        return { status: 200, outcome: result.error.code }
      case 'refused':
        sendError(this.opening, result.error)
        return { status: result.error.status, outcome: result.error.code }
      case 'client-left':
        metrics.count('clients_left')
        return { status: 499, outcome: 'client_left' }
    }
  }

  #release({ status, outcome, usage, firstByteAt }: CallEnd & { readonly usage: Usage; readonly firstByteAt: number | undefined }): void {
    const { caller, model, asked, seat, startedAt } = this.opening
    const { metrics, now } = this.#context
    const { prompt, completion, cached } = usage
    if (this.#quotaTaken) settleTokens(caller.tenant.use, { taken: this.#tokens, used: prompt + completion })
    seat.leave()
    // The budget is another module's code; whatever happens there, the rest that the request holds is given back.
    contain(() => this.#reservation?.settle(price({ prompt, completion }, model)), this.#context.unexpected)
    this.#leavePool(prompt + completion)
    const firstByte_s = firstByteAt === undefined ? undefined : firstByteAt - startedAt
    metrics.countAnswer(status, outcome)
    const labels = { tenant: caller.tenant.name, model: asked.model, operation: OPERATIONS[asked.endpoint] }
    metrics.observeRequest({ ...labels, took_s: now() - startedAt, firstByte_s, prompt, completion })
    const { replica } = this.#delivery
    this.#onEnd(this, { status, outcome, prompt, completion, cached, replica, firstByte_s, attempts: this.#state.past.sent })
  }

  #contain(act: () => void): void {
    contain(act, (cause) => this.onThrow(cause))
  }

  /** Something threw while this request was served: it ends with an error, whatever had been done for it. */
  onThrow(cause: unknown): void {
    this.#context.unexpected(cause)
    this.#refuse(INTERNAL_ERROR)
  }
}

type CallEnd = Pick<CallEnding, 'status' | 'outcome'>

export function quotaError({ name }: Tenant, { divided }: Quota, verdict: Extract<QuotaVerdict, { readonly ok: false }>): ApiError {
  const { limit, retryAfter_s } = verdict
  const what = `the limit of ${limit} for tenant ${name}`
  return apiError('rate_limit_exceeded', `${divided ? `this gateway's share of ${what}` : what} is reached`, { retryAfter_s })
}

export const INTERNAL_ERROR = apiError('internal_error', 'the gateway failed on this request and has recorded why')

/** Billionths of a dollar: a price of one dollar a million tokens is a thousand of them a token. */
const price = (tokens: { readonly prompt: number; readonly completion: number }, model: ModelEntry): number =>
  Math.ceil(1000 * (tokens.prompt * model.input_usd_per_million + tokens.completion * model.output_usd_per_million))
