// When to take the next checkpoint, from what has been seen so far. The simulator asks it, and so can whatever drives a real run.

import { dalyInterval } from '@ironlaw/laws/checkpoint/interval'
import { seconds } from '@ironlaw/units'

export type CheckpointRule =
  | { readonly kind: 'every'; readonly interval_s: number }
  /** Daly's interval for the rate seen so far; the expectation counts as one failure after `expectedMtbf_s`. */
  | { readonly kind: 'observed'; readonly expectedMtbf_s: number }

export type InterruptionHistory = {
  /** Since the run first started. */
  readonly elapsed_s: number
  readonly interruptions: number
  /** How long training stands still for a checkpoint. */
  readonly pause_s: number
}

/** Seconds of training until the next checkpoint. */
export function timeToCheckpoint(rule: CheckpointRule, { elapsed_s, interruptions, pause_s }: InterruptionHistory): number {
  if (rule.kind === 'every') return rule.interval_s
  const mtbf = (rule.expectedMtbf_s + elapsed_s) / (1 + interruptions)
  return dalyInterval.of({ writeTime: seconds(pause_s), mtbf: seconds(mtbf) })
}
