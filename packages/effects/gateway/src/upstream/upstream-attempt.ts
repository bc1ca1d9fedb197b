// One try of a request on one replica, from before it is sent until its answer has begun or failed.

import { abandonTrial, DEFAULT_BREAKER, recordFailure, recordSuccess, recordAttempt } from '@ironlaw/policies/serving'
import { addLoad, removeLoad, removePrefill, type Upstream, type LoadShare } from './upstream.ts'
import type { Connection } from './connection.ts'
import type { ResponseHead } from './response-head.ts'

export type AttemptEvents = {
  readonly onHead: (attempt: UpstreamAttempt, head: ResponseHead) => void
  readonly onBody: (attempt: UpstreamAttempt, payload: Buffer, framed: Buffer | undefined) => void
  readonly onPause: (attempt: UpstreamAttempt) => void
  readonly onEnd: (attempt: UpstreamAttempt) => void
  readonly onFault: (attempt: UpstreamAttempt, reason: string) => void
  /** One of the above threw. The attempt has been left. */
  readonly onThrow: (cause: unknown) => void
}

export type OutgoingRequest = { readonly head: string; readonly body: Buffer; readonly uncached: number; readonly output: number }

export class UpstreamAttempt {
  readonly replica: Upstream
  readonly startedAt: number
  readonly #share: LoadShare
  readonly #outgoing: OutgoingRequest
  readonly #events: AttemptEvents
  #connection: Connection
  #over = false
  #judged = false
  head: ResponseHead | undefined

  constructor(replica: Upstream, outgoing: OutgoingRequest, { events, now }: { readonly events: AttemptEvents; readonly now: number }) {
    this.replica = replica
    this.startedAt = now
    this.#outgoing = outgoing
    this.#events = events
    this.#share = addLoad(replica, outgoing)
    recordAttempt(replica.breaker, now)
    this.#connection = this.#sendOn(replica.connections.take())
  }

  pause(): void {
    this.#connection.pause()
  }

  resume(): void {
    this.#connection.resume()
  }

  /** The answer has begun: the prompt is read, the replica works. */
  recordStart(): void {
    this.#judged = true
    recordSuccess(this.replica.breaker)
    removePrefill(this.#share)
  }

  /** The replica is to blame; also when it turns out only after the attempt was left, which may have been its trial. */
  blame(now: number): void {
    this.#judged = true
    recordAttempt(this.replica.breaker, now)
    recordFailure(this.replica.breaker, DEFAULT_BREAKER, now)
    this.replica.tally.errors += 1
  }

  /** The answer is no longer needed. */
  leave(): void {
    if (this.#over) return
    this.#connection.destroy()
    this.#close()
  }

  #close(): void {
    this.#over = true
    if (!this.#judged) abandonTrial(this.replica.breaker)
    removeLoad(this.#share)
  }

  #sendOn(connection: Connection): Connection {
    const used = connection.uses > 0
    connection.send(this.#outgoing, {
      onHead: (head) => {
        this.head = head
        this.#events.onHead(this, head)
      },
      onBody: (payload, framed) => this.#events.onBody(this, payload, framed),
      onPause: () => this.#events.onPause(this),
      onEnd: () => {
        this.#close()
        this.#events.onEnd(this)
      },
      onFault: (reason) => {
        // The engine had closed an idle connection as we wrote to it: nothing was begun there, and a fresh one is no second try.
        if (used && !this.head && !this.#over) this.#connection = this.#sendOn(this.replica.connections.fresh())
        else this.#events.onFault(this, reason)
      },
      onThrow: (cause) => {
        this.leave()
        this.#events.onThrow(cause)
      },
    })
    return connection
  }
}
