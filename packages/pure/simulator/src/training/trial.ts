export type Trial = {
  /** Microseconds; the sum of the ledger. */
  readonly wall: number
  /** Microseconds by cause, in the order of CAUSES. */
  readonly ledger: Float64Array
  readonly finished: boolean
  /** Unplanned stops of the run. */
  readonly interruptions: number
  readonly plannedStops: number
  /** Failures by component, also those that hit a run already stopped. */
  readonly failures: readonly number[]
  readonly events: number
  /** Changes with any event: equal traces have equal ones. */
  readonly trace: number
}

export type TrialDraw = { readonly seed: number; readonly replica: number }
