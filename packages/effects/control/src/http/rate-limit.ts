// Limits by caller: a token bucket for each. A limited number of callers is remembered; the one that was quiet the longest is forgotten
// first and starts with a full bucket next time.

import { IronlawError } from '@ironlaw/contracts'

export type Rate = { readonly perSecond: number; readonly burst: number }

type Bucket = { left: number; at: number }

const CALLERS_KEPT = 10_000

/** Over a limit, and when it is worth trying again. */
export class OverLimit extends IronlawError {
  readonly retryAfter_s: number

  constructor(what: string, { perSecond }: Rate, retryAfter_s: number) {
    super('IL_LIMIT', { what, limit: `${perSecond} a second`, next: `try again in ${Math.ceil(retryAfter_s)} s` })
    this.retryAfter_s = retryAfter_s
  }
}

export class RateLimit {
  readonly #rate: Rate
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  /** `now` in seconds, of a clock that only goes forward. */
  constructor(rate: Rate, now: () => number) {
    this.#rate = rate
    this.#now = now
  }

  /** Seconds until this many may be taken; 0 is now. Nothing is taken. */
  wait_s(caller: string, count = 1): number {
    const { left } = this.#bucket(caller)
    // More than a full bucket is never there: then a full one has to do.
    const needed = Math.min(count, this.#rate.burst)
    return Math.max(0, (needed - left) / this.#rate.perSecond)
  }

  /** May leave a debt, which later time pays. */
  take(caller: string, count = 1): void {
    this.#bucket(caller).left -= count
  }

  #bucket(caller: string): Bucket {
    const now = this.#now()
    const { perSecond, burst } = this.#rate
    const known = this.#buckets.get(caller)
    const bucket = known ?? { left: burst, at: now }
    bucket.left = Math.min(burst, bucket.left + (now - bucket.at) * perSecond)
    bucket.at = now
    // Behind all others again.
    this.#buckets.delete(caller)
    this.#buckets.set(caller, bucket)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > CALLERS_KEPT && oldest !== undefined) this.#buckets.delete(oldest)
    return bucket
  }
}

/** An address as a caller: of IPv6 the network, of which one machine has all. */
export function clientNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  return plain.includes(':') ? plain.split(':').slice(0, 4).join(':') : plain
}
