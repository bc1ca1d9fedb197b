// What all requests of one gateway share.

import type { Budgets } from './budget/budgets.ts'
import type { Directory } from './configuration/directory.ts'
import type { HeldBytes } from './front/held-bytes.ts'
import type { Metrics } from './reporting/metrics.ts'
import type { RequestLog } from './reporting/request-log.ts'
import type { ResponseCache } from './admission/response-cache.ts'
import type { Profiler } from './profiling/profiler.ts'
import type { Shadow } from './delivery/shadow.ts'

export type Context = {
  readonly directory: Directory
  readonly metrics: Metrics
  readonly log: RequestLog | undefined
  readonly cache: ResponseCache
  readonly held: HeldBytes
  readonly budgets: Budgets
  readonly shadow: Shadow
  /** Absent where no control plane takes what is counted of answers. */
  readonly profiler: Profiler | undefined
  /** Seconds of a clock that only goes forward. */
  readonly now: () => number
  readonly draw: () => number
  /** Something threw that should not: counted, and reported to the operator of the gateway. */
  readonly unexpected: (cause: unknown) => void
  /** The active snapshot is older than allowed: access may have changed since. */
  readonly isStale: () => boolean
}
