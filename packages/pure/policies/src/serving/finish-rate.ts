// Tokens a second that replicas can finish, from what they finish. While requests wait they run at capacity, so the figure follows; while
// none waits they finish what arrives, which can only show that they are faster than assumed. Otherwise a pool that was idle would be
// thought slow, and turn the first burst away.

/** Seconds after which an older observation counts for a third. */
const MEMORY_S = 10

type FinishSample = { readonly finished: number; readonly elapsed_s: number; readonly isWaiting: boolean }

/** How long to look before the next step. The first answers of a burst take their time, so nothing is concluded from their absence. */
export const observeFor_s = (rate: number, isWaiting: boolean): number => (rate === 0 && isWaiting ? MEMORY_S : 1)

/** 0 is unknown, and stays so until a request has waited. */
export function finishRateAfter(rate: number, { finished, elapsed_s, isWaiting }: FinishSample): number {
  const observed = finished / elapsed_s
  if (rate === 0) return isWaiting ? observed : 0
  const next = rate + (1 - Math.exp(-elapsed_s / MEMORY_S)) * (observed - rate)
  return isWaiting ? next : Math.max(rate, next)
}
