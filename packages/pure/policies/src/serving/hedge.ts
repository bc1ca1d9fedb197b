// When to send a second copy of a request whose first byte is late: after the time that 95 % of the first bytes needed, so that hedges add
// about a twentieth to the load (Dean and Barroso, The Tail at Scale, 2013). The quantile is followed by a stochastic step, which
// costs a few additions and no memory.

export type FirstByteTimes = { quantile_s: number; seen: number }

const QUANTILE = 0.95
const STEP = 0.05
/** With fewer first bytes than this nothing is known and nothing is hedged. */
const ENOUGH = 50

export const noFirstBytes = (): FirstByteTimes => ({ quantile_s: 0, seen: 0 })

export function recordFirstByte(times: FirstByteTimes, took_s: number): void {
  times.seen += 1
  if (times.seen === 1) times.quantile_s = took_s
  const step = STEP * Math.max(times.quantile_s, 1e-4)
  times.quantile_s += took_s > times.quantile_s ? step * QUANTILE : -step * (1 - QUANTILE)
}

/** Seconds after which to hedge; undefined while it is not known what is late. */
export const hedgeAfter_s = (times: FirstByteTimes): number | undefined => (times.seen < ENOUGH ? undefined : times.quantile_s)
