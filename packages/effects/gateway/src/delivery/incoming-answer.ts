// One attempt of a request on one replica, and what has come of its answer: a stream that is passed on as it comes, or a body that is held to
// its end. An attempt that comes to nothing is dropped with all of it.

import { type ApiError, apiError } from '@ironlaw/contracts'
import { responseClass } from '@ironlaw/policies/serving'
import type { Pool } from '../admission/pool.ts'
import type { CallOpening } from '../front/opening.ts'
import { baseHeaders } from '../front/reply.ts'
import { BEGINNING_BYTES, type StreamSample } from '../profiling/answer-sample.ts'
import type { Profiler } from '../profiling/profiler.ts'
import { tallyAnswer } from '../reporting/replica-tally.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { type AttemptEvents, type OutgoingRequest, UpstreamAttempt } from '../upstream/upstream-attempt.ts'
import { bodyHasContent, isJsonObject } from './answer-text.ts'
import type { CallResult } from './call-state.ts'
import { engineError } from './engine-error.ts'
import { StreamReply } from './stream-reply.ts'
import { StreamWatch } from './stream-watch.ts'
import { type Usage, usageOfBody } from './usage.ts'

export type AnswerRoute = {
  /** Where the request has its place, and where this attempt goes. */
  readonly home: Pool
  readonly pool: Pool
  readonly isTrial: boolean
  readonly replica: Upstream
  readonly outgoing: OutgoingRequest
  readonly events: AttemptEvents<IncomingAnswer>
  readonly now: number
}

type AnswerContent =
  | { readonly kind: 'stream'; readonly watch: StreamWatch; readonly sample: StreamSample | undefined; reply: StreamReply | undefined }
  | { readonly kind: 'whole'; readonly parts: Buffer[]; length: number }

/** What a part of an answer came to: nothing yet, something for the client, or an answer that cannot go on. */
export type AnswerProgress = 'held' | 'passed-on' | 'broken' | ApiError

/** Bytes of an answer in one piece that are held; an embedding of 2,048 texts of 4,096 numbers is about 100 MB. */
const ANSWER_LIMIT = 134_217_728

export class IncomingAnswer {
  readonly home: Pool
  readonly pool: Pool
  readonly isTrial: boolean
  readonly upstream: UpstreamAttempt<IncomingAnswer>
  readonly #opening: CallOpening
  readonly #profiler: Profiler | undefined
  #content: AnswerContent | undefined
  firstByteAt: number | undefined
  lastByteAt = 0
  blockedAt = 0

  constructor(opening: CallOpening, { home, pool, isTrial, replica, outgoing, events, now }: AnswerRoute, profiler?: Profiler) {
    this.#profiler = profiler
    this.home = home
    this.pool = pool
    this.isTrial = isTrial
    this.#opening = opening
    this.upstream = new UpstreamAttempt<IncomingAnswer>(replica, outgoing, { owner: this, events, now })
  }

  get status(): number | undefined {
    return this.upstream.head?.status
  }

  get #watch(): StreamWatch | undefined {
    return this.#content?.kind === 'stream' ? this.#content.watch : undefined
  }

  get #reply(): StreamReply | undefined {
    return this.#content?.kind === 'stream' ? this.#content.reply : undefined
  }

  /** Tokens of answer that the client has had, counted by events: what a cut stream is charged by when the engine did not say. */
  get passedOn(): number {
    return this.#reply ? (this.#watch?.events ?? 0) : 0
  }

  get usage(): Usage | undefined {
    return this.#watch?.usage
  }

  /** The client reads more slowly than the engine writes. */
  get isBlocked(): boolean {
    return this.#reply?.blocked ?? false
  }

  take(payload: Buffer, framed: Buffer | undefined): AnswerProgress {
    const content = (this.#content ??= this.#isStream() ? this.#newStream() : { kind: 'whole', parts: [], length: 0 })
    if (content.kind === 'stream') {
      content.sample?.record(payload)
      const seen = content.watch.inspect(payload)
      if (seen.kind === 'none') return 'held'
      if (seen.kind === 'broken') return 'broken'
      content.reply ??= this.#openReply()
      if (seen.kind === 'pass') content.reply.pass(payload, framed)
      else content.reply.pass(Buffer.from(seen.text, 'latin1'), undefined)
      return 'passed-on'
    }
    content.length += payload.length
    if (content.length > ANSWER_LIMIT) return apiError('upstream_error', 'the answer of the engine is too long')
    content.parts.push(payload)
    return this.#opening.seat.hold(payload.length) ?? 'held'
  }

  /** Writes what has been passed on, and stops the engine while the client does not keep up. */
  flush(now: number): void {
    if (!this.#reply || this.#reply.flush()) return
    this.blockedAt = now
    this.upstream.pause()
  }

  /** The engine has ended its answer: the result, or why it is none. */
  complete(): CallResult | { readonly kind: 'incomplete'; readonly reason: string } {
    const content = this.#content
    if (content?.kind === 'stream') {
      const { watch, reply } = content
      if (!watch.done) return { kind: 'incomplete', reason: 'it ended the answer before it was complete' }
      reply?.end()
      return { kind: 'stream', outcome: watch.failed ? 'upstream_error' : 'ok', usage: watch.usage }
    }
    const [first, ...more] = content?.parts ?? []
    const body = first && more.length === 0 ? first : Buffer.concat(content?.parts ?? [])
    const { status = 0, retryAfter_s } = this.upstream.head ?? {}
    if (status !== 200) {
      if (responseClass(status) === 'refusal') this.upstream.replica.tally.refused += 1
      return { kind: 'refused', error: { ...engineError(status, body), ...(retryAfter_s === undefined ? {} : { retryAfter_s }) } }
    }
    return isJsonObject(body)
      ? { kind: 'body', body, usage: usageOfBody(body) }
      : { kind: 'incomplete', reason: 'its answer is not a JSON object' }
  }

  /** In the middle of a stream the status is long out: an event that SDKs raise as an error, a finish reason, and the end. */
  cut({ message, type, code }: ApiError): void {
    const choice = { index: 0, ...(this.#opening.asked.endpoint === 'chat' ? { delta: {} } : { text: '' }), finish_reason: 'error' }
    const event = { ...this.#watch?.frame, choices: [choice], error: { message, type, param: null, code } }
    this.#reply?.pass(Buffer.from(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`), undefined)
    this.#reply?.end()
  }

  /** Counts the answer for its replica. */
  tally(result: CallResult, { expectedPrompt, now }: { readonly expectedPrompt: number; readonly now: number }): void {
    const { replica, startedAt: sentAt } = this.upstream
    if (this.firstByteAt === undefined) return
    // What the engine itself called an error; its other failings were blamed on it when they were seen.
    if (this.#watch?.failed && (result.kind === 'stream' || result.kind === 'cut')) replica.tally.errors += 1
    if (result.kind !== 'body' && !(result.kind === 'stream' && result.outcome === 'ok')) return
    const { prompt, completion } = result.usage ?? { prompt: expectedPrompt, completion: this.#watch?.events ?? 0 }
    const isEmpty =
      result.kind === 'body' ? this.#opening.asked.endpoint !== 'embeddings' && !bodyHasContent(result.body) : !this.#watch?.hasText
    const times = { sentAt, firstByteAt: this.firstByteAt, endedAt: now }
    tallyAnswer(replica.tally, { ...times, tokens: prompt + completion, completion: result.kind === 'stream' ? completion : 0, isEmpty })
  }

  /** It is not the client's answer: what was held of it is out of memory. */
  forget(): void {
    if (this.#content?.kind === 'whole') this.#opening.seat.giveBack(this.#content.length)
    else if (this.#content?.sample) this.#opening.seat.giveBack(BEGINNING_BYTES)
  }

  /** Counts for its revision what the client got of it, all of which it has. */
  profile(result: CallResult): void {
    const { asked, caller } = this.#opening
    const about = { pool: this.pool.name, class: caller.tenant.entry.class, asked }
    if (result.kind === 'body') this.#profiler?.count({ ...about, usage: result.usage, content: { body: result.body } })
    else if (result.kind === 'stream' && result.outcome === 'ok' && this.#content?.kind === 'stream')
      this.#profiler?.count({ ...about, usage: result.usage, content: { sample: this.#content.sample } })
  }

  #newStream(): Extract<AnswerContent, { kind: 'stream' }> {
    const { asked, seat } = this.#opening
    const sample = this.#profiler?.sampleStream()
    // Where there is no memory for it, it is not of the sample.
    const isHeld = sample !== undefined && seat.hold(BEGINNING_BYTES) === undefined
    const watch = new StreamWatch({ stripUsage: !asked.wantsUsage })
    return { kind: 'stream', watch, sample: isHeld ? sample : undefined, reply: undefined }
  }

  #isStream(): boolean {
    const { head } = this.upstream
    return head?.status === 200 && head.contentType.startsWith('text/event-stream')
  }

  #openReply(): StreamReply {
    const { request, response } = this.#opening
    return new StreamReply(request, response, {
      headers: [...baseHeaders(this.#opening), 'content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-cache'],
      onDrain: () => this.upstream.resume(),
    })
  }
}
