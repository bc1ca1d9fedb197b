// Where the time of a run goes, measured by the ledger and predicted by planner and simulator: one list, so that they can be
// compared. Free of zod, so that code that only needs the list never loads it.

export const TIME_CAUSES = [
  'queue',
  'allocation',
  'check',
  'start',
  'load',
  'running',
  'compute',
  'exposed communication',
  'bubble',
  'straggler',
  'data stall',
  'checkpoint',
  'lost work',
  'detection',
  'recovery',
  'smaller than planned',
  'idle tail',
  'other',
] as const

export type TimeCause = (typeof TIME_CAUSES)[number]

/** Seconds by cause; a cause that is left out is not known. */
export type SecondsByCause = Readonly<Partial<Record<TimeCause, number>>>
