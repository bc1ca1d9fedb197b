// How often one caller may ask. Agents of runs have limits of their own (report-limits.ts): ten thousand of them may come from one address.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientNetwork, OverLimit, type Rate, RateLimit } from './rate-limit.ts'

export type ApiLimits = {
  /** By token of a person or a gateway. */
  readonly token: Rate
  /** By address, all tokens of people and gateways together. */
  readonly address: Rate
  /** By address, requests without a token. */
  readonly open: Rate
}

/** The console of a busy fleet makes some five requests a second, a script that lists everything some hundreds at once. */
export const API_LIMITS: ApiLimits = {
  token: { perSecond: 50, burst: 500 },
  address: { perSecond: 200, burst: 2000 },
  open: { perSecond: 20, burst: 200 },
}

export type CallerLimit = (request: FastifyRequest) => void

/** Checked once it is known whose token it is, before it is known whether they may do what they ask. */
export function callerLimit({ token, address }: ApiLimits, now_s = secondsOfProcess): CallerLimit {
  const byToken = new RateLimit(token, now_s)
  const byAddress = new RateLimit(address, now_s)
  return ({ principal, ip }) => {
    if (!principal || principal.kind === 'run') return
    const client = clientNetwork(ip)
    mustWait('requests with one token', token, byToken.wait_s(principal.id))
    mustWait('requests from one address', address, byAddress.wait_s(client))
    byToken.take(principal.id)
    byAddress.take(client)
  }
}

/** Health is asked by load balancers and costs nothing. Before authentication is added. */
export function addOpenLimit(app: FastifyInstance, { open }: ApiLimits, now_s = secondsOfProcess): void {
  const byAddress = new RateLimit(open, now_s)
  app.addHook('onRequest', async ({ headers, ip, routeOptions }) => {
    const hasCredential = headers.authorization !== undefined || headers.cookie !== undefined
    if ((hasCredential && !routeOptions.config.open) || HEALTH.has(routeOptions.url ?? '')) return
    const client = clientNetwork(ip)
    mustWait('requests without a token', open, byAddress.wait_s(client))
    byAddress.take(client)
  })
}

const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

function mustWait(what: string, rate: Rate, wait_s: number): void {
  if (wait_s > 0) throw new OverLimit(what, rate, wait_s)
}

const secondsOfProcess = (): number => performance.now() / 1000

type Lock = { strikes: number; until: number }

const ADDRESSES_KEPT = 10_000
const FIRST_LOCK_S = 10
const LONGEST_LOCK_S = 900
/** Without another one, locks are forgotten after this time. */
const FORGOTTEN_S = 3600

/** Locks out an address that used up its failures, for longer each time. */
export class LockOut {
  readonly #failures: RateLimit
  readonly #now: () => number
  readonly #locks = new Map<string, Lock>()

  constructor(rate: Rate, now_s: () => number = secondsOfProcess) {
    this.#failures = new RateLimit(rate, now_s)
    this.#now = now_s
  }

  wait_s(caller: string): number {
    const until = this.#locks.get(caller)?.until ?? 0
    return Math.max(this.#failures.wait_s(caller), until - this.#now())
  }

  take(caller: string): void {
    this.#failures.take(caller)
    if (this.#failures.wait_s(caller) > 0) this.#lock(caller)
  }

  #lock(caller: string): void {
    const now = this.#now()
    const before = this.#locks.get(caller)
    // Of many failures at once, only the first that was too many is a strike.
    if (before && before.until > now) return
    const strikes = before && now - before.until < FORGOTTEN_S ? before.strikes + 1 : 1
    this.#locks.delete(caller)
    this.#locks.set(caller, { strikes, until: now + Math.min(FIRST_LOCK_S * 2 ** (strikes - 1), LONGEST_LOCK_S) })
    const [oldest] = this.#locks.keys()
    if (this.#locks.size > ADDRESSES_KEPT && oldest !== undefined) this.#locks.delete(oldest)
  }
}
