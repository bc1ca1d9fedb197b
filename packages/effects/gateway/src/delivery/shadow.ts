// Copies of requests to a pool on trial. No client waits for them, their answers are compared with the client's and thrown away, and when
// there are too many the copy is not made.

import { responseClass } from '@ironlaw/policies/serving'
import { AnswerPair, tallyOutputs } from './answer-pair.ts'
import { bodyHasContent, isJsonObject } from './answer-text.ts'
import type { CompletionRequest } from '../front/completion-request.ts'
import type { Metrics } from '../reporting/metrics.ts'
import type { Pool } from '../admission/pool.ts'
import { tallyAnswer } from '../reporting/replica-tally.ts'
import { StreamWatch } from './stream-watch.ts'
import { UpstreamAttempt, type OutgoingRequest } from '../upstream/upstream-attempt.ts'

const AT_ONCE = 64
/** The longest that a client's own request takes where nothing else is configured. */
const LONGEST_S = 600
const NOTHING = Buffer.alloc(0)

type ShadowOptions = {
  readonly asked: CompletionRequest
  /** By which an answer has to begin, as for a client's own. */
  readonly first_byte_s: number
  readonly now: () => number
  readonly draw: () => number
}

type ShadowCopy = { readonly pair: AnswerPair; readonly first_byte_s: number; hasBegun: boolean }

export class Shadow {
  readonly #metrics: Metrics
  readonly #unexpected: (cause: unknown) => void
  readonly #running = new Map<UpstreamAttempt<ShadowCopy>, ShadowCopy>()

  constructor(metrics: Metrics, unexpected: (cause: unknown) => void) {
    this.#metrics = metrics
    this.#unexpected = unexpected
  }

  /** Gives the pair in which its answer will be compared, when a copy is made. */
  send(pool: Pool, outgoing: (host: string) => OutgoingRequest, { asked, first_byte_s, now, draw }: ShadowOptions): AnswerPair | undefined {
    const routed = pool.route({ promptTokens: 0, outputTokens: 0 }, { text: () => '', salt: '', tried: [], now: now(), draw })
    if (!routed || this.#running.size >= AT_ONCE) {
      this.#metrics.count('shadows_dropped')
      return undefined
    }
    this.#metrics.count('shadows')
    const watch = new StreamWatch({ stripUsage: false })
    const pair = new AnswerPair(asked, (compared) => tallyOutputs(routed.replica.tally.outputs, compared))
    const copy: ShadowCopy = { pair, first_byte_s, hasBegun: false }
    let firstByteAt: number | undefined
    let beginning: Buffer | undefined
    const isAnswer = (): boolean => (asked.stream ? watch.done && !watch.failed : beginning !== undefined && isJsonObject(beginning))
    const hasWords = (): boolean => (asked.stream ? watch.hasText : asked.endpoint === 'embeddings' || bodyHasContent(beginning ?? NOTHING))
    const attempt: UpstreamAttempt<ShadowCopy> = new UpstreamAttempt(routed.replica, outgoing(routed.replica.host), {
      now: now(),
      owner: copy,
      events: {
        onHead: (_, { status }) => {
          const kind = responseClass(status)
          // Too many requests there says nothing about its health.
          if (kind === 'answer' || kind === 'busy') attempt.recordStart()
          else pair.failShadow(() => attempt.blame(now()))
        },
        onBody: (_, payload) => {
          firstByteAt ??= now()
          beginning ??= payload
          copy.hasBegun = true
          watch.inspect(payload)
          pair.record('shadow', payload)
        },
        onPause: () => undefined,
        onEnd: () => {
          this.#running.delete(attempt)
          if (attempt.head?.status !== 200) return
          if (firstByteAt === undefined || !isAnswer()) {
            pair.failShadow(() => attempt.blame(now()))
            return
          }
          pair.complete('shadow')
          const completion = watch.done ? watch.events : 0
          const times = { sentAt: attempt.startedAt, firstByteAt, endedAt: now() }
          tallyAnswer(attempt.replica.tally, { ...times, tokens: completion, completion, isEmpty: !hasWords() })
        },
        onFault: () => {
          attempt.blame(now())
          attempt.leave()
          this.#running.delete(attempt)
        },
        onThrow: (cause) => {
          this.#unexpected(cause)
          this.#running.delete(attempt)
        },
      },
    })
    this.#running.set(attempt, copy)
    return pair
  }

  /** No client waits for a copy, so only this ends one that its replica never answers. */
  tick(now: number): void {
    for (const [attempt, { pair, first_byte_s, hasBegun }] of this.#running) {
      if (now - attempt.startedAt < (hasBegun ? LONGEST_S : Math.min(LONGEST_S, first_byte_s))) continue
      this.#running.delete(attempt)
      pair.failShadow(() => attempt.blame(now))
      attempt.leave()
    }
  }

  close(): void {
    for (const attempt of this.#running.keys()) attempt.leave()
    this.#running.clear()
  }
}
