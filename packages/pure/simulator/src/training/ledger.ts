// Where the time of a run went. Whole microseconds, so that useful time and every loss add up to the wall clock exactly: sums of whole
// numbers below 2^53 (285 years) have no rounding.

export const CAUSES = [
  'useful',
  'lost work',
  'checkpoint',
  'checkpoint contention',
  'straggler',
  'smaller than planned',
  'detection',
  'swap',
  'restart',
  'checkpoint load',
  'warm-up',
  'maintenance',
  'waiting for nodes',
  'queue',
] as const

export type Cause = (typeof CAUSES)[number]

export const MICROSECONDS = 1e6

export const causeIndex = (cause: Cause): number => CAUSES.indexOf(cause)

/** Where training time goes in the ledger. */
export const AT = {
  useful: causeIndex('useful'),
  lost: causeIndex('lost work'),
  contention: causeIndex('checkpoint contention'),
  straggler: causeIndex('straggler'),
  smaller: causeIndex('smaller than planned'),
} as const

/** A duration on the clock of the simulation. */
export const ticks = (time_s: number): number => Math.round(time_s * MICROSECONDS)
