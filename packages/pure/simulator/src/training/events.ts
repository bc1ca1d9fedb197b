/** Kinds of events of a training run. */
export const EVENT = {
  strike: 0,
  renewed: 1,
  kill: 2,
  found: 3,
  phase: 4,
  commit: 5,
  repaired: 6,
  slow: 7,
  fast: 8,
  maintenance: 9,
} as const

/** Random streams in addition to those of the components, which are named by their index. */
export const STREAM = { repair: -1, straggler: -2, straggling: -3, silent: -4 } as const
