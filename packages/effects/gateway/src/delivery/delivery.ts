// Sends one request to replicas and reports what comes back as events of its state; what to do about them is decided in `call-state.ts`.

import { countUnconfirmed, hashOfText, hedgeAfter_s, recordFirstByte, responseClass } from '@ironlaw/policies/serving'
import { apiError } from '@ironlaw/contracts'
import { candidatePools, type ModelPools } from '../admission/model-pools.ts'
import type { Pool } from '../admission/pool.ts'
import type { AnswerPair } from './answer-pair.ts'
import type { CallEvent, CallState, Prospects, ReplicaEffect } from './call-state.ts'
import type { Context } from '../context.ts'
import { prefixText } from '../front/completion-request.ts'
import type { CallOpening } from '../front/opening.ts'
import { IncomingAnswer } from './incoming-answer.ts'
import { type ExpectedTokens, outgoingRequest } from './outgoing-request.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { AttemptEvents } from '../upstream/upstream-attempt.ts'

/** The state of the request, and the one way to change it. */
export type CallPort = {
  readonly state: CallState<IncomingAnswer>
  readonly dispatch: (event: CallEvent<IncomingAnswer>) => void
  /** The pools of the model as it is configured now. */
  readonly pools: () => ModelPools
  readonly onThrow: (cause: unknown) => void
}

export class Delivery {
  readonly #context: Context
  readonly #opening: CallOpening
  readonly #expected: ExpectedTokens
  readonly #call: CallPort
  readonly #tried: Upstream[] = []
  /** In which the answer of a shadow is compared with this one. */
  pair: AnswerPair | undefined

  constructor(context: Context, opening: CallOpening, { expected, call }: { readonly expected: ExpectedTokens; readonly call: CallPort }) {
    this.#context = context
    this.#opening = opening
    this.#expected = expected
    this.#call = call
  }

  /** The replica that it was last sent to. */
  get replica(): string | undefined {
    return this.#tried.at(-1)?.id
  }

  /** False when no replica takes it. `home` is the pool in which the request has its place. */
  send(home: Pool): boolean {
    const { asked, caller } = this.#opening
    const { now, draw, directory } = this.#context
    const at = now()
    const session = asked.session === undefined ? {} : { session: hashOfText(asked.session) }
    const request = { promptTokens: this.#expected.prompt, outputTokens: this.#expected.output, ...session }
    const salt = directory.cacheSalt(caller, asked.cacheSalt)
    const routing = { text: () => prefixText(asked), salt, tried: this.#tried, now: at, draw }
    const pools = this.#call.pools()
    for (const pool of candidatePools(pools, home, this.#call.state.past)) {
      const routed = pool.route(request, routing)
      if (!routed) continue
      const { replica, cached } = routed
      this.#tried.push(replica)
      const outgoing = outgoingRequest(this.#opening, { pool, expected: this.#expected, host: replica.host, cached, salt, now: at })
      const route = { home, pool, isTrial: pools.trials.includes(pool), replica, outgoing, events: this.#events, now: at }
      this.#call.dispatch({ kind: 'sent', attempt: new IncomingAnswer(this.#opening, route, this.#context.profiler) })
      return true
    }
    this.#call.dispatch({ kind: 'unsent', canMove: pools.trials.includes(home) && this.#servingCanTake(pools) })
    return false
  }

  perform(effect: ReplicaEffect<IncomingAnswer>): void {
    const { now, metrics } = this.#context
    switch (effect.do) {
      case 'record-start':
        effect.attempt.upstream.recordStart()
        return
      case 'leave':
        effect.attempt.upstream.leave()
        return
      case 'forget-answer':
        effect.attempt.forget()
        this.pair?.restart()
        return
      case 'blame':
        for (const { upstream } of effect.attempts) upstream.blame(now())
        return
      case 'blame-unconfirmed':
        if (countUnconfirmed(this.#opening.caller.tenant.faults, now())) this.perform({ do: 'blame', attempts: effect.attempts })
        return
      case 'count':
        metrics.count(effect.metric)
    }
  }

  tick(now: number): void {
    const state = this.#call.state
    if (state.kind === 'sent') this.#tickBeforeFirstByte(state.attempts, now)
    else if (state.kind === 'answering' || state.kind === 'streaming') this.#tickAnswer(state.attempt, now)
  }

  #tickBeforeFirstByte(attempts: readonly IncomingAnswer[], now: number): void {
    const { first_byte_s, hedge, max_attempts } = this.#opening.model
    for (const one of attempts) if (now - one.upstream.startedAt > first_byte_s) this.#lose(one, `no byte for ${first_byte_s} s`)
    const state = this.#call.state
    const [only] = state.kind === 'sent' ? state.attempts : []
    if (!hedge || state.past.hasHedged || !only) return
    const late = hedgeAfter_s(only.pool.firstBytes)
    if (late !== undefined && now - only.upstream.startedAt >= late) this.#call.dispatch({ kind: 'hedge-due', maxAttempts: max_attempts })
  }

  #tickAnswer(answer: IncomingAnswer, now: number): void {
    const { stall_s } = this.#opening.model
    if (answer.isBlocked) {
      if (now - answer.blockedAt > this.#context.directory.snapshot.limits.reader_stall_s) this.#opening.response.destroy()
    } else if (now - answer.lastByteAt > stall_s) {
      answer.upstream.blame(now)
      this.#call.dispatch({ kind: 'failed', error: apiError('upstream_error', `the engine sent nothing for ${stall_s} s`) })
    }
  }

  readonly #events: AttemptEvents<IncomingAnswer> = {
    onHead: (answer, { status }) => this.#onHead(answer, status),
    onBody: (answer, payload, framed) => this.#onBody(answer, payload, framed),
    onPause: (answer) => {
      const { state } = this.#call
      if (state.kind === 'streaming' && state.attempt === answer) answer.flush(this.#context.now())
    },
    onEnd: (answer) => this.#onEnd(answer),
    onFault: (answer, reason) => this.#lose(answer, reason),
    onThrow: (cause) => this.#call.onThrow(cause),
  }

  #onHead(answer: IncomingAnswer, status: number): void {
    if (responseClass(status) === 'answer') return
    this.#call.dispatch({ kind: 'declined', attempt: answer, status, prospects: this.#prospects(answer) })
  }

  #onBody(answer: IncomingAnswer, payload: Buffer, framed: Buffer | undefined): void {
    const now = this.#context.now()
    let { state } = this.#call
    if (state.kind === 'sent') {
      answer.firstByteAt = now
      recordFirstByte(answer.pool.firstBytes, now - answer.upstream.startedAt)
      this.#call.dispatch({ kind: 'first-byte', attempt: answer })
      ;({ state } = this.#call)
    }
    if ((state.kind !== 'answering' && state.kind !== 'streaming') || state.attempt !== answer) return
    answer.lastByteAt = now
    this.pair?.record('served', payload)
    const progress = answer.take(payload, framed)
    if (progress === 'held') return
    if (progress === 'passed-on') {
      if (state.kind === 'answering') this.#call.dispatch({ kind: 'passed-on' })
    } else if (progress !== 'broken') this.#call.dispatch({ kind: 'failed', error: progress })
    else if (state.kind === 'answering') this.#lose(answer, 'it sent a chunk that is not JSON')
    else this.#call.dispatch({ kind: 'failed', error: apiError('upstream_error', 'the engine sent a chunk that is not JSON') })
  }

  #onEnd(answer: IncomingAnswer): void {
    const state = this.#call.state
    const isLive = state.kind === 'sent' ? state.attempts.includes(answer) : 'attempt' in state && state.attempt === answer
    if (!isLive) return
    const result = answer.complete()
    if (result.kind === 'incomplete') this.#lose(answer, result.reason)
    else this.#call.dispatch({ kind: 'completed', attempt: answer, result })
  }

  /** The replica is to blame. */
  #lose(answer: IncomingAnswer, reason: string): void {
    answer.upstream.blame(this.#context.now())
    this.#call.dispatch({ kind: 'lost', attempt: answer, reason, prospects: this.#prospects(answer) })
  }

  #prospects({ home }: IncomingAnswer): Prospects {
    const { startedAt, deadline_s, model } = this.#opening
    const now = this.#context.now()
    const pools = this.#call.pools()
    const candidates = candidatePools(pools, home, this.#call.state.past)
    return {
      servingCanTake: this.#servingCanTake(pools),
      hasReady: candidates.some((pool) => pool.hasReady(this.#tried, now)),
      maxAttempts: model.max_attempts,
      left_s: startedAt + deadline_s - now,
    }
  }

  #servingCanTake({ serving }: ModelPools): boolean {
    const now = this.#context.now()
    return serving.some((pool) => pool.hasHealthy(now))
  }
}
