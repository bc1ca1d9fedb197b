// Whether a request starts now, waits, or is turned away. One that cannot be answered before its deadline is refused at once, while its
// sender can still go elsewhere, instead of costing the work first.

export type Saturation = {
  readonly running: number
  readonly maxRunning: number
  readonly queued: number
  readonly maxQueued: number
  readonly queuedTokens: number
  readonly maxQueuedTokens: number
  /** Tokens a second that the replicas have lately finished together; 0 when unknown. */
  readonly tokensPerSecond: number
}

export type Arrival = {
  readonly tokens: number
  /** Seconds it would take alone. */
  readonly service_s: number
  /** Seconds until its sender gives up. */
  readonly deadline_s: number
  /** Above 0 a queue kept for the urgent is open to it. */
  readonly priority: number
}

export type Admission =
  | { readonly do: 'start' }
  | { readonly do: 'queue' }
  | { readonly do: 'shed'; readonly why: 'queue-full' | 'tokens-full' | 'deadline'; readonly retryAfter_s: number }

const START: Admission = { do: 'start' }
const QUEUE: Admission = { do: 'queue' }

/** Share of the queue that only requests of priority above 0 may fill: otherwise a flood of the ordinary shuts the urgent out. */
const URGENT_SHARE = 0.1
const LONGEST_RETRY_S = 60

export function admissionDecision(seen: Saturation, arrival: Arrival): Admission {
  if (seen.queued === 0 && seen.running < seen.maxRunning) return START
  const share = arrival.priority > 0 ? 1 : 1 - URGENT_SHARE
  const wait = seen.tokensPerSecond > 0 ? seen.queuedTokens / seen.tokensPerSecond : 0
  const retryAfter_s = Math.min(LONGEST_RETRY_S, Math.max(1, Math.ceil(wait)))
  if (seen.queued >= share * seen.maxQueued) return { do: 'shed', why: 'queue-full', retryAfter_s }
  if (seen.queuedTokens + arrival.tokens > share * seen.maxQueuedTokens) return { do: 'shed', why: 'tokens-full', retryAfter_s }
  if (wait + arrival.service_s > arrival.deadline_s) return { do: 'shed', why: 'deadline', retryAfter_s }
  return QUEUE
}
