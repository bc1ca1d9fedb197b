// Copies of requests to a pool that is being tried out. Nobody waits for them, their answers are compared with the client's and thrown away, and when there
// are too many the copy is not made.

import { AnswerPair, tallyOutputs } from './answer-pair.ts'
import type { CompletionRequest } from './completion-request.ts'
import type { Metrics } from './metrics.ts'
import type { Pool } from './pool.ts'
import { tallyAnswer } from './replica-tally.ts'
import { StreamWatch } from './stream-watch.ts'
import { Attempt, type Outgoing } from './upstream/attempt.ts'

const AT_ONCE = 64
/** The longest that a client's own request takes where nothing else is configured. */
const LONGEST_S = 600

type Sending = { readonly asked: CompletionRequest; readonly now: () => number; readonly draw: () => number }

export class Shadow {
  readonly #metrics: Metrics
  readonly #unexpected: (cause: unknown) => void
  readonly #running = new Set<Attempt>()

  constructor(metrics: Metrics, unexpected: (cause: unknown) => void) {
    this.#metrics = metrics
    this.#unexpected = unexpected
  }

  /** Gives the pair in which its answer will be compared, when a copy is made. */
  send(pool: Pool, outgoing: (host: string) => Outgoing, { asked, now, draw }: Sending): AnswerPair | undefined {
    const routed = pool.route({ promptTokens: 0, outputTokens: 0 }, { text: () => '', salt: '', tried: [], now: now(), draw })
    if (!routed || this.#running.size >= AT_ONCE) {
      this.#metrics.count('shadows_dropped')
      return undefined
    }
    this.#metrics.count('shadows')
    const done = (attempt: Attempt): void => void this.#running.delete(attempt)
    const watch = new StreamWatch({ stripUsage: false })
    const pair = new AnswerPair(asked, (compared) => tallyOutputs(routed.replica.tally.outputs, compared))
    let firstByteAt: number | undefined
    const attempt = new Attempt(routed.replica, outgoing(routed.replica.host), {
      now: now(),
      events: {
        onHead: (one, { status }) => (status < 500 ? one.began() : pair.failShadow(() => one.blame(now()))),
        onBody: (_, payload) => {
          firstByteAt ??= now()
          watch.see(payload)
          pair.see('shadow', payload)
        },
        onPause: () => undefined,
        onEnd: (one) => {
          done(one)
          if (one.head?.status !== 200 || firstByteAt === undefined) return
          pair.complete('shadow')
          const completion = watch.done ? watch.events : 0
          tallyAnswer(one.replica.tally, { sentAt: one.startedAt, firstByteAt, endedAt: now(), tokens: completion, completion })
        },
        onFault: (one) => {
          one.blame(now())
          one.leave()
          done(one)
        },
        onThrow: (cause) => {
          this.#unexpected(cause)
          done(attempt)
        },
      },
    })
    this.#running.add(attempt)
    return pair
  }

  /** Nobody waits for a copy, so nobody but this ends one that its replica never answers. */
  tick(now: number): void {
    for (const attempt of this.#running) {
      if (now - attempt.startedAt < LONGEST_S) continue
      this.#running.delete(attempt)
      attempt.blame(now)
      attempt.leave()
    }
  }

  close(): void {
    for (const attempt of this.#running) attempt.leave()
    this.#running.clear()
  }
}
