// Keeps requests from a replica that fails: closed, open for a while that doubles, then one trial at a time.

export type Breaker = { state: 'closed' | 'open' | 'trial'; failures: number; openings: number; until: number }

export type BreakerRule = { readonly failures: number; readonly open_s: number; readonly openCap_s: number }

/** Five in a row: at a failure rate of one in ten that happens by chance once in 100,000 requests. */
export const DEFAULT_BREAKER: BreakerRule = { failures: 5, open_s: 1, openCap_s: 30 }

export const closedBreaker = (): Breaker => ({ state: 'closed', failures: 0, openings: 0, until: 0 })

/** Whether a request may be sent; asked for no other purpose than to look. */
export const allowsRequest = (breaker: Breaker, now: number): boolean =>
  breaker.state === 'closed' || (breaker.state === 'open' && now >= breaker.until)

/** A request is being sent: the first after the wait is the trial, and keeps the others away until it is known how it went. */
export function recordAttempt(breaker: Breaker, now: number): void {
  if (breaker.state === 'open' && now >= breaker.until) breaker.state = 'trial'
}

export function recordSuccess(breaker: Breaker): void {
  breaker.state = 'closed'
  breaker.failures = 0
  breaker.openings = 0
}

export function recordFailure(breaker: Breaker, rule: BreakerRule, now: number): void {
  breaker.failures += 1
  if (breaker.state === 'open' || (breaker.state === 'closed' && breaker.failures < rule.failures)) return
  breaker.state = 'open'
  breaker.until = now + Math.min(rule.openCap_s, rule.open_s * 2 ** breaker.openings)
  breaker.openings += 1
}

/** The sender of a trial left before it was known how it went: the next request is the trial. */
export function abandonTrial(breaker: Breaker): void {
  if (breaker.state === 'trial') breaker.state = 'open'
}
