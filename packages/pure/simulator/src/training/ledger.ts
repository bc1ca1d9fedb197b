// Where the time of a run went. Whole microseconds, so that useful time and every loss add up to the wall clock exactly: sums of whole
// numbers below 2^53 (285 years) have no rounding.

import type { TimeCause } from '@ironlaw/contracts'

/** Useful time, and the causes of lost time as the ledger of a run has them, so that both can be laid side by side. */
export const TRIAL_CAUSES = [
  'useful',
  'lost work',
  // The pause, and what background writes slow down.
  'checkpoint',
  'straggler',
  'smaller than planned',
  'detection',
  // Until there are nodes again: a spare swapped in, a repair or a maintenance waited for.
  'recovery',
  // From the launch to the first step, warm-up included.
  'start',
  'load',
  'allocation',
] as const satisfies readonly (TimeCause | 'useful')[]

export type TrialCause = (typeof TRIAL_CAUSES)[number]

export const MICROSECONDS = 1e6

export const causeIndex = (cause: TrialCause): number => TRIAL_CAUSES.indexOf(cause)

/** Where training time goes in the ledger. */
export const LEDGER_INDEX = {
  useful: causeIndex('useful'),
  lost: causeIndex('lost work'),
  contention: causeIndex('checkpoint'),
  straggler: causeIndex('straggler'),
  smaller: causeIndex('smaller than planned'),
} as const

/** A duration on the clock of the simulation. */
export const ticks = (time_s: number): number => Math.round(time_s * MICROSECONDS)
