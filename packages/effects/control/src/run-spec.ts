// What of a run's request the control plane keeps and works with: its shape, and of the plan what a live run is compared with.

import type { RunShape, SecondsByCause } from '@ironlaw/contracts'

export type RunSpec = {
  readonly shape: RunShape
  /** A command without a plan; absent for a run that follows one. */
  readonly kind?: 'Job'
  readonly predicted_step_s?: number
  /** Steps of the whole run, by the plan or as the author of a job says. */
  readonly steps?: number
  /** Of the whole run, by cause of its ledger. */
  readonly expected_losses_s?: SecondsByCause
  /** Until the job has measured how long a checkpoint takes. */
  readonly checkpoint_every_s: number
  /** The checkpoint of another run that it begins with. */
  readonly from?: { readonly run: string; readonly step: number }
}
