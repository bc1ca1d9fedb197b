// What a router knows of one replica, and what a request would cost there. One cost in one unit, predicted seconds, because routers
// that scored affinity and load apart had to be fixed after hot spots (sglang#14305, smg#1621). The caller counts a request in before
// it is dispatched, so that a burst does not all see the same empty replica.

export type ReplicaLoad = {
  /** False while it starts, drains, or its breaker is open. */
  ready: boolean
  /** Requests dispatched and not finished. */
  running: number
  /** Prompt tokens dispatched that no first token has come back for, less what was thought cached. */
  prefillTokens: number
  /** Output tokens still expected of what runs. */
  decodeTokens: number
  /** Tokens of context held by what runs. */
  kvTokens: number
  readonly speed: ReplicaSpeed
}

export type ReplicaSpeed = {
  readonly prefill_s_per_token: number
  /** One decode step alone, and what each further sequence adds to it: S(B) = a + b B. */
  readonly step_s: number
  readonly step_s_per_sequence: number
  readonly kvCapacity_tokens: number
}

export type RoutedRequest = {
  readonly promptTokens: number
  /** Expected, not the most allowed. */
  readonly outputTokens: number
  /** Hash of the session that should stay on one replica, if any. */
  readonly session?: number
}

/** Seconds of work ahead of a new request: prompts to read first, then the steps the others still want. */
export const outstanding_s = ({ prefillTokens, decodeTokens, speed }: ReplicaLoad): number =>
  prefillTokens * speed.prefill_s_per_token + decodeTokens * speed.step_s_per_sequence

/** Predicted seconds until this request would be done there, with what it costs the others. */
export function predicted_s(load: ReplicaLoad, request: RoutedRequest, cachedTokens: number): number {
  const { speed } = load
  const uncached = Math.max(0, request.promptTokens - cachedTokens)
  const prefill = (load.prefillTokens + uncached) * speed.prefill_s_per_token
  const decode = request.outputTokens * (speed.step_s + speed.step_s_per_sequence * (load.running + 1))
  // A request that does not fit waits until others have given back the tokens it lacks; each decode step gives back at the rate at
  // which outstanding output drains, so the lack is priced as reading it again.
  const lacking = Math.max(0, load.kvTokens + uncached + request.outputTokens - speed.kvCapacity_tokens)
  // What one more sequence adds to each step of the others.
  const others = Math.min(load.decodeTokens, request.outputTokens * load.running) * speed.step_s_per_sequence
  return prefill + decode + others + lacking * speed.prefill_s_per_token * 2
}
