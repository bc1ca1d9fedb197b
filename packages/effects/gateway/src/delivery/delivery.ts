// Gets one admitted request answered by a replica: sends it, sends it again or twice while nothing has been passed on, and passes the answer
// on. From the first byte on there is one attempt; what then goes wrong ends the answer as an error that clients notice.

import {
  responseClass,
  countUnconfirmed,
  hashOfText,
  hedgeAfter_s,
  mayRetry,
  recordFirstByte,
  serverErrorVerdict,
  spendRetry,
} from '@ironlaw/policies/serving'
import { type ApiError, apiError } from '@ironlaw/contracts'
import type { AnswerPair } from './answer-pair.ts'
import type { CallOpening } from '../front/opening.ts'
import { bodyHasContent, isJsonObject } from './answer-text.ts'
import { prefixText } from '../front/completion-request.ts'
import type { Context } from '../context.ts'
import { engineError } from './engine-error.ts'
import { type ExpectedTokens, outgoingRequest } from './outgoing-request.ts'
import type { ModelPools } from '../admission/model-pools.ts'
import type { Pool } from '../admission/pool.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { tallyAnswer } from '../reporting/replica-tally.ts'
import { baseHeaders } from '../front/reply.ts'
import { StreamReply } from './stream-reply.ts'
import { StreamWatch } from './stream-watch.ts'
import { UpstreamAttempt, type AttemptEvents } from '../upstream/upstream-attempt.ts'
import type { ResponseHead } from '../upstream/response-head.ts'
import { type Usage, usageOfBody } from './usage.ts'

/** How it ended. After `body` and `refused` the client has had nothing yet; a `stream` is out to its end. */
export type DeliveryResult =
  | { readonly kind: 'body'; readonly body: Buffer; readonly usage: Usage | undefined }
  | { readonly kind: 'stream'; readonly outcome: string; readonly usage: Usage | undefined }
  | { readonly kind: 'refused'; readonly error: ApiError }

export type DeliveryOptions = {
  readonly pool: Pool
  /** The pools of the model now. What one on trial does not answer goes to those that serve: a failing canary costs its clients nothing. */
  readonly pools: () => ModelPools
  readonly expected: ExpectedTokens
  /** A trial did not answer it: asks for a place in a pool that serves, which ends in `continueIn` or `fail`. */
  readonly onTrialLost: () => void
  readonly onDone: (delivered: DeliveryResult) => void
  readonly onThrow: (cause: unknown) => void
}

/** Bytes of an answer in one piece that are held; an embedding of 2,048 texts of 4,096 numbers is about 100 MB. */
const ANSWER_LIMIT = 134_217_728

export class Delivery {
  readonly #context: Context
  readonly #opening: CallOpening
  readonly #options: DeliveryOptions
  readonly #attempts: UpstreamAttempt[] = []
  readonly #tried: Upstream[] = []
  /** Failed, or refused on trial, and not blamed before it is known whether the request is at fault. */
  #suspects: UpstreamAttempt[] = []
  readonly #onTrial = new Set<UpstreamAttempt>()
  #pool: Pool
  /** Attempts before a pool that serves took it over from a trial; there they count anew. */
  #sentBefore = 0
  #winner: UpstreamAttempt | undefined
  #watch: StreamWatch | undefined
  #reply: StreamReply | undefined
  #parts: Buffer[] = []
  #length = 0
  #hedged = false
  #lastByteAt = 0
  #blockedAt = 0
  #over = false
  sent = 0
  firstByteAt: number | undefined
  /** In which the answer of a shadow is compared with this one. */
  pair: AnswerPair | undefined

  constructor(context: Context, opening: CallOpening, options: DeliveryOptions) {
    this.#context = context
    this.#opening = opening
    this.#options = options
    this.#pool = options.pool
  }

  get replica(): string | undefined {
    return this.#tried.at(-1)?.id
  }

  /** Tokens of answer that the client has had, counted by events: what a cut stream is charged by when the engine did not say. */
  get passedOn(): number {
    return this.#reply ? (this.#watch?.events ?? 0) : 0
  }

  begin(): void {
    if (this.#send()) return
    const { trials } = this.#options.pools()
    if (trials.includes(this.#pool) && this.#servingCanTake()) this.#options.onTrialLost()
    else this.fail(apiError('server_is_overloaded', 'no replica is ready', { retryAfter_s: 1 }))
  }

  /** What a trial did not answer got a place in a pool that serves. */
  continueIn(pool: Pool): void {
    this.#pool = pool
    this.#sentBefore = this.sent
    this.begin()
  }

  tick(now: number): void {
    const { stall_s } = this.#opening.model
    if (this.#over) return
    if (this.#reply?.blocked) {
      if (now - this.#blockedAt > this.#context.directory.snapshot.limits.reader_stall_s) this.#opening.response.destroy()
    } else if (this.firstByteAt === undefined) this.#tickBeforeFirstByte(now)
    else if (now - this.#lastByteAt > stall_s) {
      this.#winner?.blame(now)
      this.fail(apiError('upstream_error', `the engine sent nothing for ${stall_s} s`))
    }
  }

  /** The client no longer waits for the answer: the engines see their connections close. */
  leave(): void {
    this.#over = true
    for (const attempt of this.#attempts.splice(0)) attempt.leave()
  }

  /** In the middle of a stream the status is long out: an event that SDKs raise as an error, a finish reason, and the end. */
  fail(error: ApiError): void {
    if (this.#over) return
    if (!this.#reply) {
      this.#finish({ kind: 'refused', error })
      return
    }
    this.#context.metrics.count('streams_cut')
    const { message, type, code } = error
    const choice = { index: 0, ...(this.#opening.asked.endpoint === 'chat' ? { delta: {} } : { text: '' }), finish_reason: 'error' }
    const event = { ...this.#watch?.frame, choices: [choice], error: { message, type, param: null, code } }
    this.#reply.pass(Buffer.from(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`), undefined)
    this.#reply.end()
    this.#finish({ kind: 'stream', outcome: code, usage: this.#watch?.usage })
  }

  #finish(delivered: DeliveryResult): void {
    if (this.#suspects.length > 0 && countUnconfirmed(this.#opening.caller.tenant.faults, this.#context.now())) this.#blameSuspects()
    if (delivered.kind !== 'refused') this.#tally(delivered)
    this.leave()
    this.#options.onDone(delivered)
  }

  #tally(delivered: Exclude<DeliveryResult, { readonly kind: 'refused' }>): void {
    const { replica, startedAt: sentAt } = this.#winner ?? {}
    if (!replica || sentAt === undefined || this.firstByteAt === undefined) return
    if (delivered.kind === 'stream' && delivered.outcome !== 'ok') {
      // What the engine itself called an error; its other failings were blamed on it when they were seen.
      if (this.#watch?.failed) replica.tally.errors += 1
      return
    }
    const { prompt, completion } = delivered.usage ?? { prompt: this.#options.expected.prompt, completion: this.#watch?.events ?? 0 }
    const times = { sentAt, firstByteAt: this.firstByteAt, endedAt: this.#context.now() }
    const isEmpty = delivered.kind === 'body' ? this.#isEmptyAnswer(delivered.body) : !this.#watch?.hasText
    this.pair?.complete('served')
    tallyAnswer(replica.tally, { ...times, tokens: prompt + completion, completion: delivered.kind === 'stream' ? completion : 0, isEmpty })
  }

  #isEmptyAnswer(body: Buffer): boolean {
    return this.#opening.asked.endpoint !== 'embeddings' && !bodyHasContent(body)
  }

  #tickBeforeFirstByte(now: number): void {
    const { first_byte_s, hedge, max_attempts } = this.#opening.model
    const overdue = this.#attempts.filter(({ startedAt }) => now - startedAt > first_byte_s)
    for (const attempt of overdue) this.#lose(attempt, { reason: `no byte for ${first_byte_s} s`, blame: true })
    const [only] = this.#attempts
    if (!hedge || this.#hedged || this.#over || !only || this.sent - this.#sentBefore >= max_attempts) return
    const late = hedgeAfter_s(this.#pool.firstBytes)
    if (late === undefined || now - only.startedAt < late) return
    this.#hedged = true
    if (spendRetry(this.#opening.caller.tenant.retries) && this.#send()) this.#context.metrics.count('hedges')
  }

  /** False when no replica takes it. */
  #send(): boolean {
    const { asked, caller } = this.#opening
    const { expected } = this.#options
    const { now, draw, directory } = this.#context
    const at = now()
    const session = asked.session === undefined ? {} : { session: hashOfText(asked.session) }
    const request = { promptTokens: expected.prompt, outputTokens: expected.output, ...session }
    const salt = directory.cacheSalt(caller, asked.cacheSalt)
    const routing = { text: () => prefixText(asked), salt, tried: this.#tried, now: at, draw }
    let routed: ReturnType<Pool['route']>
    const pools = this.#options.pools()
    const pool = this.#candidates(pools).find((each) => (routed = each.route(request, routing)) !== undefined)
    if (!pool || !routed) return false
    this.sent += 1
    this.#tried.push(routed.replica)
    const sent = outgoingRequest(this.#opening, { pool, expected, host: routed.replica.host, cached: routed.cached, salt, now: at })
    const attempt = new UpstreamAttempt(routed.replica, sent, { events: this.#events, now: at })
    this.#attempts.push(attempt)
    if (pools.trials.includes(pool)) this.#onTrial.add(attempt)
    return true
  }

  /** A request goes to a trial once. After a failure another revision is tried first, which distinguishes a bad revision from a bad request. */
  #candidates({ serving, trials }: ModelPools): readonly Pool[] {
    const own = this.#pool
    const wasTried = this.#onTrial.size > 0
    if (trials.includes(own)) return wasTried ? [...serving, own] : [own]
    const others = serving.filter((pool) => pool !== own)
    if (wasTried) return [own, ...others]
    return this.#suspects.length > 0 ? [...others, ...trials, own] : [own, ...others, ...trials]
  }

  /** Whether a pool that serves has a replica that works, be it full: the request can wait there, as it would have without the trial. */
  #servingCanTake(): boolean {
    const now = this.#context.now()
    return this.#options.pools().serving.some((pool) => pool.hasHealthy(now))
  }

  #hasReady(): boolean {
    const now = this.#context.now()
    return this.#candidates(this.#options.pools()).some((pool) => pool.hasReady(this.#tried, now))
  }

  readonly #events: AttemptEvents = {
    onHead: (attempt, { status }) => {
      const kind = responseClass(status)
      if (kind === 'answer') return
      const canTakeOver = this.#onTrial.has(attempt) && this.#servingCanTake()
      if (kind === 'refusal' && !canTakeOver) return
      // Where no other replica could answer, this answer is passed on.
      const mayTryOther = canTakeOver || (this.#mayTryAgain() && this.#hasReady())
      if (kind === 'failure') {
        const verdict = serverErrorVerdict({ failedElsewhere: this.#suspects.filter(hasFailed).length, mayRetry: mayTryOther })
        this.#suspects.push(attempt)
        if (verdict === 'request') this.#context.metrics.count('requests_at_fault')
        if (verdict === 'retry') this.#lose(attempt, { reason: `status ${status}`, blame: false })
      } else if (mayTryOther) {
        if (kind === 'refusal') this.#suspects.push(attempt)
        // Too many requests there says nothing about its health.
        else attempt.recordStart()
        this.#lose(attempt, { reason: `status ${status}`, blame: false })
      }
    },
    onBody: (attempt, payload, framed) => {
      if (!this.#winner) this.#win(attempt)
      if (this.#winner !== attempt || !attempt.head || this.#over) return
      this.#lastByteAt = this.#context.now()
      this.pair?.record('served', payload)
      if (attempt.head.status === 200 && attempt.head.contentType.startsWith('text/event-stream')) this.#relay(payload, framed)
      else this.#collect(payload)
    },
    onPause: (attempt) => {
      if (this.#winner !== attempt || !this.#reply || this.#over || this.#reply.flush()) return
      this.#blockedAt = this.#context.now()
      attempt.pause()
    },
    onEnd: (attempt) => {
      this.#forget(attempt)
      if (!attempt.head || this.#over) return
      this.#winner ??= attempt
      if (this.#winner === attempt) this.#complete(attempt.head)
    },
    onFault: (attempt, reason) => this.#lose(attempt, { reason, blame: true }),
    onThrow: (cause) => this.#options.onThrow(cause),
  }

  #win(attempt: UpstreamAttempt): void {
    this.#winner = attempt
    this.firstByteAt = this.#context.now()
    const kind = responseClass(attempt.head?.status ?? 0)
    // One on trial that refuses everything does not count as healthy.
    if (kind !== 'failure' && !(kind === 'refusal' && this.#onTrial.has(attempt))) attempt.recordStart()
    // Another replica could answer it.
    if (kind === 'answer') this.#blameSuspects()
    recordFirstByte(this.#pool.firstBytes, this.firstByteAt - attempt.startedAt)
    for (const other of this.#attempts.filter((one) => one !== attempt)) {
      this.#forget(other)
      other.leave()
    }
  }

  #blameSuspects(): void {
    for (const suspect of this.#suspects.splice(0)) suspect.blame(this.#context.now())
  }

  #relay(payload: Buffer, framed: Buffer | undefined): void {
    const { request, response, asked } = this.#opening
    this.#watch ??= new StreamWatch({ stripUsage: !asked.wantsUsage })
    const seen = this.#watch.inspect(payload)
    if (seen.kind === 'none') return
    if (seen.kind === 'broken') {
      if (this.#winner && !this.#reply) this.#lose(this.#winner, { reason: 'it sent a chunk that is not JSON', blame: true })
      else this.fail(apiError('upstream_error', 'the engine sent a chunk that is not JSON'))
      return
    }
    this.#reply ??= new StreamReply(request, response, {
      headers: [...baseHeaders(this.#opening), 'content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-cache'],
      onDrain: () => this.#winner?.resume(),
    })
    if (seen.kind === 'pass') this.#reply.pass(payload, framed)
    else this.#reply.pass(Buffer.from(seen.text, 'latin1'), undefined)
  }

  #collect(payload: Buffer): void {
    this.#length += payload.length
    const problem =
      this.#length > ANSWER_LIMIT
        ? apiError('upstream_error', 'the answer of the engine is too long')
        : this.#opening.seat.hold(payload.length)
    if (problem) this.fail(problem)
    else this.#parts.push(payload)
  }

  #complete(head: ResponseHead): void {
    if (this.#watch) {
      if (!this.#watch.done) this.#loseWinner('it ended the answer before it was complete')
      else {
        this.#reply?.end()
        this.#finish({ kind: 'stream', outcome: this.#watch.failed ? 'upstream_error' : 'ok', usage: this.#watch.usage })
      }
      return
    }
    const [first] = this.#parts
    const body = first && this.#parts.length === 1 ? first : Buffer.concat(this.#parts)
    if (head.status === 200) {
      if (isJsonObject(body)) this.#finish({ kind: 'body', body, usage: usageOfBody(body) })
      else this.#loseWinner('its answer is not a JSON object')
    } else {
      if (responseClass(head.status) === 'refusal') this.#countRefusal()
      const error = engineError(head.status, body)
      const after = head.retryAfter_s === undefined ? {} : { retryAfter_s: head.retryAfter_s }
      this.#finish({ kind: 'refused', error: { ...error, ...after } })
    }
  }

  #loseWinner(reason: string): void {
    if (this.#winner) this.#lose(this.#winner, { reason, blame: true })
  }

  /** The serving revision refuses it as well: the request is at fault, not the replicas that refused it before. */
  #countRefusal(): void {
    if (this.#winner) this.#winner.replica.tally.refused += 1
    this.#suspects = this.#suspects.filter(hasFailed)
  }

  #mayTryAgain(): boolean {
    const { startedAt, deadline_s, model } = this.#opening
    const left_s = startedAt + deadline_s - this.#context.now()
    const number = this.sent - this.#sentBefore
    return mayRetry({ number, maxAttempts: model.max_attempts, bytesPassedOn: this.#reply?.bytes ?? 0, left_s })
  }

  /** An attempt came to nothing: another one, if nothing has been passed on and the retry budget allows. */
  #lose(attempt: UpstreamAttempt, { reason, blame }: { readonly reason: string; readonly blame: boolean }): void {
    const { now, metrics } = this.#context
    this.#forget(attempt)
    if (blame) attempt.blame(now())
    attempt.leave()
    if (this.#over || (this.#winner && this.#winner !== attempt) || this.#attempts.length > 0) return
    const canTakeOver = this.#onTrial.has(attempt) && !this.#reply && this.#servingCanTake()
    if (canTakeOver || (this.#mayTryAgain() && spendRetry(this.#opening.caller.tenant.retries))) {
      this.#winner = undefined
      this.#watch = undefined
      this.#opening.seat.giveBack(this.#length)
      this.#parts = []
      this.#length = 0
      this.firstByteAt = undefined
      this.pair?.restart()
      metrics.count('retries')
      if (canTakeOver) {
        this.#options.onTrialLost()
        return
      }
      if (this.#send()) return
    }
    this.fail(apiError('upstream_error', `the engine failed: ${reason}`, { retryAfter_s: 1 }))
  }

  #forget(attempt: UpstreamAttempt): void {
    const index = this.#attempts.indexOf(attempt)
    if (index !== -1) this.#attempts.splice(index, 1)
  }
}

const hasFailed = ({ head }: UpstreamAttempt): boolean => head !== undefined && responseClass(head.status) === 'failure'
