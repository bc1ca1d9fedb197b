// Copies of requests to a pool that is being tried out. Nobody waits for them, their answers are read and thrown away, and when there
// are too many the copy is not made.

import type { Metrics } from './metrics.ts'
import type { Pool } from './pool.ts'
import { tallyAnswer } from './replica-tally.ts'
import { StreamWatch } from './stream-watch.ts'
import { Attempt, type Outgoing } from './upstream/attempt.ts'

const AT_ONCE = 64

export class Shadow {
  readonly #metrics: Metrics
  readonly #running = new Set<Attempt>()

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  send(pool: Pool, outgoing: (host: string) => Outgoing, { now, draw }: { readonly now: () => number; readonly draw: () => number }): void {
    const routed = pool.route({ promptTokens: 0, outputTokens: 0 }, { text: () => '', tried: [], now: now(), draw })
    if (!routed || this.#running.size >= AT_ONCE) {
      this.#metrics.count('shadows_dropped')
      return
    }
    this.#metrics.count('shadows')
    const done = (attempt: Attempt): void => void this.#running.delete(attempt)
    const watch = new StreamWatch({ stripUsage: false })
    let firstByteAt: number | undefined
    const attempt = new Attempt(routed.replica, outgoing(routed.replica.host), {
      now: now(),
      events: {
        onHead: (one, { status }) => (status < 500 ? one.began() : one.blame(now())),
        onBody: (_, payload) => {
          firstByteAt ??= now()
          watch.see(payload)
        },
        onPause: () => undefined,
        onEnd: (one) => {
          done(one)
          if (one.head?.status !== 200 || firstByteAt === undefined) return
          const completion = watch.done ? watch.events : 0
          tallyAnswer(one.replica.tally, { sentAt: one.startedAt, firstByteAt, endedAt: now(), tokens: completion, completion })
        },
        onFault: (one) => {
          one.blame(now())
          one.leave()
          done(one)
        },
      },
    })
    this.#running.add(attempt)
  }

  close(): void {
    for (const attempt of this.#running) attempt.leave()
    this.#running.clear()
  }
}
