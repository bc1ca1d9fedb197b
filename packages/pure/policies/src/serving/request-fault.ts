// Whose fault a 5xx of an engine is. A replica that is sick fails requests that others answer; a request that is poison fails everywhere. So
// the first failure is not attributed until another replica has answered the same request: an answer there confirms that the first
// replica is sick, a second 5xx says that it is the request. One that cannot be tried elsewhere stays unconfirmed. What is not confirmed counts
// against replicas once per tenant within a window: a tenant cannot open breakers with bad requests, and replicas that are all sick
// are still noticed, by time or by several tenants.

/** What a status means for the gateway: an answer, a fault of the request, a replica that is full, or a replica that fails. */
export type ResponseClass = 'answer' | 'refusal' | 'busy' | 'failure'

export function responseClass(status: number): ResponseClass {
  if (status === 200) return 'answer'
  if (status === 429) return 'busy'
  // The engine rejects the gateway's token: nothing that the client sent is to blame.
  if (status === 401 || status === 403) return 'failure'
  return status >= 400 && status < 500 ? 'refusal' : 'failure'
}

export type ServerErrorVerdict =
  /** Try another replica, which decides. */
  | 'retry'
  /** It failed on two replicas: the request is to blame, and is not sent to a third. */
  | 'request'
  /** No other replica can be tried. */
  | 'unconfirmed'

export function serverErrorVerdict(seen: {
  /** Replicas that answered this request with 5xx before. */
  readonly failedElsewhere: number
  readonly mayRetry: boolean
}): ServerErrorVerdict {
  if (seen.failedElsewhere > 0) return 'request'
  return seen.mayRetry ? 'retry' : 'unconfirmed'
}

/** When an unconfirmed failure of a tenant's requests may count again. */
export type FaultWindow = { countsAt: number }

/** Five failures in a row open a breaker: by one tenant's bad requests alone that takes 25 s without a single success of any tenant. */
const WINDOW_S = 5

export const newFaultWindow = (): FaultWindow => ({ countsAt: Number.NEGATIVE_INFINITY })

/** Whether an unconfirmed failure counts against its replicas; if so, the next ones within the window do not. */
export function countUnconfirmed(window: FaultWindow, now: number): boolean {
  if (now < window.countsAt) return false
  window.countsAt = now + WINDOW_S
  return true
}
