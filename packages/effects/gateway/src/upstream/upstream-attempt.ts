// One try of a request on one replica, from before it is sent until its answer has begun or failed.

import { abandonTrial, DEFAULT_BREAKER, recordFailure, recordSuccess, recordAttempt } from '@ironlaw/policies/serving'
import { addLoad, removeLoad, removePrefill, type Upstream, type LoadShare } from './upstream.ts'
import type { Connection } from './connection.ts'
import type { ResponseHead } from './response-head.ts'

/** `Owner` is whose attempt it is: the same functions serve all of a request's attempts. */
export type AttemptEvents<Owner> = {
  readonly onHead: (owner: Owner, head: ResponseHead) => void
  readonly onBody: (owner: Owner, payload: Buffer, framed: Buffer | undefined) => void
  readonly onPause: (owner: Owner) => void
  readonly onEnd: (owner: Owner) => void
  readonly onFault: (owner: Owner, reason: string) => void
  /** One of the above threw. The attempt has been left. */
  readonly onThrow: (cause: unknown) => void
}

export type OutgoingRequest = { readonly head: string; readonly body: Buffer; readonly uncached: number; readonly output: number }

type AttemptOwner<Owner> = { readonly owner: Owner; readonly events: AttemptEvents<Owner>; readonly now: number }

export class UpstreamAttempt<Owner> {
  readonly replica: Upstream
  readonly startedAt: number
  readonly #share: LoadShare
  readonly #outgoing: OutgoingRequest
  readonly #owner: Owner
  readonly #events: AttemptEvents<Owner>
  #connection: Connection
  /** Whether it is known how the replica does, until the attempt is closed. */
  #state: 'unknown' | 'known' | 'closed' = 'unknown'
  head: ResponseHead | undefined

  constructor(replica: Upstream, outgoing: OutgoingRequest, { owner, events, now }: AttemptOwner<Owner>) {
    this.replica = replica
    this.startedAt = now
    this.#outgoing = outgoing
    this.#owner = owner
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
    if (this.#state === 'closed') return
    this.#state = 'known'
    recordSuccess(this.replica.breaker)
    removePrefill(this.#share)
  }

  /** The replica is to blame; also when it turns out only after the attempt was left, which may have been its trial. */
  blame(now: number): void {
    if (this.#state === 'unknown') this.#state = 'known'
    recordAttempt(this.replica.breaker, now)
    recordFailure(this.replica.breaker, DEFAULT_BREAKER, now)
    this.replica.tally.errors += 1
  }

  /** The answer is no longer needed. */
  leave(): void {
    if (this.#state === 'closed') return
    this.#connection.destroy()
    this.#close()
  }

  #close(): void {
    if (this.#state === 'unknown') abandonTrial(this.replica.breaker)
    this.#state = 'closed'
    removeLoad(this.#share)
  }

  #sendOn(connection: Connection): Connection {
    const used = connection.uses > 0
    connection.send(this.#outgoing, {
      onHead: (head) => {
        this.head = head
        this.#events.onHead(this.#owner, head)
      },
      onBody: (payload, framed) => this.#events.onBody(this.#owner, payload, framed),
      onPause: () => this.#events.onPause(this.#owner),
      onEnd: () => {
        this.#close()
        this.#events.onEnd(this.#owner)
      },
      onFault: (reason) => {
        // The engine had closed an idle connection as we wrote to it: nothing was begun there, and a fresh one is no second try.
        if (used && !this.head && this.#state !== 'closed') this.#connection = this.#sendOn(this.replica.connections.fresh())
        else this.#events.onFault(this.#owner, reason)
      },
      onThrow: (cause) => {
        this.leave()
        this.#events.onThrow(cause)
      },
    })
    return connection
  }
}
