// One request of a client, from its admission to its end. Whatever the way out, what was taken for it (quota, money, a place in the pool)
// is given back in one function, once.

import { earnRetry, hashOfText, type Quota, type QuotaVerdict, settleTokens, takeTokens } from '@ironlaw/policies/serving'
import { type ApiError, apiError } from '@ironlaw/contracts'
import type { AnswerPair } from '../delivery/answer-pair.ts'
import type { Refusal, Reservation } from '../budget/budgets.ts'
import { estimatedPrompt, mostOutput } from '../front/completion-request.ts'
import type { Context } from '../context.ts'
import { type DeliveryResult, Delivery } from '../delivery/delivery.ts'
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

export class Call {
  readonly opening: CallOpening
  readonly #context: Context
  readonly #onEnd: (call: Call, ending: CallEnding) => void
  readonly #expected: ExpectedTokens
  readonly #cacheKey: string | undefined
  #pool: Pool | undefined
  #waiting: WaitingCall | undefined
  #delivery: Delivery | undefined
  #quotaTaken = false
  #reservation: Reservation | undefined
  #over = false

  constructor(context: Context, opening: CallOpening, onEnd: (call: Call, ending: CallEnding) => void) {
    this.#context = context
    this.opening = opening
    this.#onEnd = onEnd
    const { asked, model, caller, path, body } = opening
    this.#expected = { prompt: estimatedPrompt(asked), output: mostOutput(asked, model) }
    this.#cacheKey = caller.key.cache_s > 0 && !asked.stream ? ResponseCache.keyOf({ tenant: caller.tenant.name, path, body }) : undefined
  }

  begin(): void {
    this.#contain(() => this.#admit())
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
      sendJson(this.opening, found, ['x-cache', 'hit'])
      this.#end({ status: 200, outcome: 'ok' })
    } else if (tenant.entry.budget === undefined) this.#choosePool()
    else this.#reserve(tenant.entry.budget)
  }

  tick(now: number): void {
    this.#contain(() => this.#tick(now))
  }

  #tick(now: number): void {
    const { startedAt, deadline_s } = this.opening
    if (now <= startedAt + deadline_s) {
      this.#delivery?.tick(now)
      return
    }
    const late = apiError('deadline_exceeded', 'the time given for the answer is up')
    this.#fail(late)
  }

  /** The client is gone: stops the engine. */
  abandon(): void {
    if (this.#over) return
    this.#contain(() => {
      this.#context.metrics.count('clients_left')
      this.#end({ status: 499, outcome: 'client_left' })
    })
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
        (cause: unknown) => this.#crash(cause),
      )
    else this.#onReserved(held)
  }

  #onReserved(held: Reservation | Refusal): undefined {
    if ('settle' in held) {
      this.#reservation = held
      if (this.#over) held.settle(0)
      else this.#choosePool()
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
  #choosePool(from: 'all' | 'serving' = 'all'): void {
    const { caller, asked, startedAt, deadline_s } = this.opening
    const { draw, now, directory } = this.#context
    const side = asked.session === undefined ? draw() : hashOfText(asked.session) / 2 ** 32
    const pool = directory.pools.get(chosenPool(this.#targets, { from, side }) ?? '')
    if (!pool) {
      this.#fail(apiError('server_is_overloaded', 'the model has no replicas now', { retryAfter_s: 5 }))
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
    if ((admission.do === 'shed' || pool.replicas.length === 0) && this.#modelPools().trials.includes(pool)) {
      this.#choosePool('serving')
      return
    }
    if (admission.do === 'shed') {
      const { why, retryAfter_s } = admission
      this.#fail(apiError('server_is_overloaded', `all replicas are busy (${why})`, { retryAfter_s }))
      return
    }
    this.#pool = pool
    const place = { tenant: tenant.name, weight: tenant.entry.weight, priority: key.priority }
    const waiting: WaitingCall = {
      place,
      tokens: this.#tokens,
      start: () => this.#contain(() => this.#start(pool, waiting)),
      // The pool was removed.
      elsewhere: () => this.#contain(() => this.#choosePool(this.#delivery ? 'serving' : 'all')),
    }
    this.#waiting = waiting
    if (admission.do === 'start') waiting.start()
    else pool.enqueue(waiting)
  }

  /** As configured now: the model may have changed while the request waited. */
  get #targets(): ModelEntry['targets'] {
    const { asked, model } = this.opening
    return (this.#context.directory.snapshot.models[asked.model] ?? model).targets
  }

  #modelPools(): ModelPools {
    return modelPools(this.#targets, this.#context.directory.pools)
  }

  #start(pool: Pool, waiting: WaitingCall): void {
    this.#waiting = undefined
    pool.recordStart(waiting)
    if (this.#delivery) {
      this.#delivery.continueIn(pool)
      return
    }
    earnRetry(this.opening.caller.tenant.retries)
    this.#delivery = new Delivery(this.#context, this.opening, {
      pool,
      pools: () => this.#modelPools(),
      expected: this.#expected,
      onTrialLost: () => this.#leaveTrial(),
      onDone: (delivered) => this.#onDelivered(delivered),
      onThrow: (cause) => this.#crash(cause),
    })
    this.#delivery.begin()
    // The request may have ended already: a refused request is not copied.
    if (!this.#over) this.#delivery.pair = this.#sendShadow(pool)
  }

  /** The request waits for a pool that serves like any other that comes for it. */
  #leaveTrial(): void {
    this.#pool?.recordEnd(0)
    this.#pool = undefined
    this.#choosePool('serving')
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

  #onDelivered(delivered: DeliveryResult): void {
    switch (delivered.kind) {
      case 'refused':
        this.#refuse(delivered.error)
        return
      case 'stream':
        this.#end({ status: 200, outcome: delivered.outcome, usage: delivered.usage })
        return
      case 'body':
        sendJson(this.opening, delivered.body, [])
        if (this.#cacheKey) this.#context.cache.put(this.#cacheKey, delivered.body, this.#context.now())
        this.#end({ status: 200, outcome: 'ok', usage: delivered.usage })
    }
  }

  #fail(error: ApiError): void {
    if (this.#delivery) this.#delivery.fail(error)
    else this.#refuse(error)
  }

  /** Nothing has been passed on: an error with its own status. */
  #refuse(error: ApiError): void {
    if (this.#over) return
    sendError(this.opening, error)
    this.#end({ status: error.status, outcome: error.code })
  }

  #end({ status, outcome, usage }: { readonly status: number; readonly outcome: string; readonly usage?: Usage | undefined }): void {
    if (this.#over) return
    this.#over = true
    const { caller, model, asked, seat, startedAt } = this.opening
    const { metrics, now } = this.#context
    const passedOn = this.#delivery?.passedOn ?? 0
    const { prompt, completion, cached } = usage ?? { prompt: passedOn > 0 ? this.#expected.prompt : 0, completion: passedOn, cached: 0 }
    this.#delivery?.leave()
    if (this.#quotaTaken) settleTokens(caller.tenant.use, { taken: this.#tokens, used: prompt + completion })
    seat.leave()
    // The budget is another module's code; whatever happens there, the rest that the request holds is given back.
    contain(() => this.#reservation?.settle(price({ prompt, completion }, model)), this.#context.unexpected)
    if (this.#waiting) this.#pool?.leave(this.#waiting)
    else this.#pool?.recordEnd(prompt + completion)
    const firstByteAt = this.#delivery?.firstByteAt
    const firstByte_s = firstByteAt === undefined ? undefined : firstByteAt - startedAt
    const { sent = 0, replica } = this.#delivery ?? { replica: undefined }
    metrics.countAnswer(status, outcome)
    const operation = OPERATIONS[asked.endpoint]
    metrics.observeRequest({
      tenant: caller.tenant.name,
      model: asked.model,
      operation,
      took_s: now() - startedAt,
      firstByte_s,
      prompt,
      completion,
    })
    this.#onEnd(this, { status, outcome, prompt, completion, cached, replica, firstByte_s, attempts: sent })
  }

  #contain(act: () => void): void {
    contain(act, (cause) => this.#crash(cause))
  }

  /** Something threw while this request was served: it ends with an error, whatever had been done for it. */
  #crash(cause: unknown): void {
    const { unexpected } = this.#context
    const { response } = this.opening
    unexpected(cause)
    contain(() => this.#delivery?.fail(INTERNAL_ERROR), unexpected)
    if (this.#over) return
    if (!response.headersSent) contain(() => sendError(this.opening, INTERNAL_ERROR), unexpected)
    else if (!response.writableEnded) response.destroy()
    contain(() => this.#end({ status: INTERNAL_ERROR.status, outcome: INTERNAL_ERROR.code }), unexpected)
  }
}

export function quotaError({ name }: Tenant, { divided }: Quota, verdict: Extract<QuotaVerdict, { readonly ok: false }>): ApiError {
  const { limit, retryAfter_s } = verdict
  const what = `the limit of ${limit} for tenant ${name}`
  return apiError('rate_limit_exceeded', `${divided ? `this gateway's share of ${what}` : what} is reached`, { retryAfter_s })
}

export const INTERNAL_ERROR = apiError('internal_error', 'the gateway failed on this request and has recorded why')

/** Billionths of a dollar: a price of one dollar a million tokens is a thousand of them a token. */
const price = (tokens: { readonly prompt: number; readonly completion: number }, model: ModelEntry): number =>
  Math.ceil(1000 * (tokens.prompt * model.input_usd_per_million + tokens.completion * model.output_usd_per_million))
