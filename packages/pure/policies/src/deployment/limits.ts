// How patient the control plane is with replicas. Each limit says what it trades.

export type DeploymentLimits = {
  /** From the start of its job to readiness: the image, the weights, the warm-up. */
  readonly start_s: number
  /** How long neither a gateway nor a probe had an answer. */
  readonly silence_s: number
  /** Requests that are still running after this are cut. */
  readonly drain_s: number
  /** First wait after a replica that ended by itself; doubles. */
  readonly backoff_s: number
  readonly backoffCap_s: number
  /**
   * A replica that waits for a machine for longer gets one that is kept for the way back: after a look of Slurm's backfill, every 30 s unless it
   * is configured otherwise (bf_interval).
   */
  readonly machine_s: number
}

export const DEFAULT_DEPLOYMENT_LIMITS: DeploymentLimits = {
  start_s: 900,
  silence_s: 15,
  drain_s: 600,
  backoff_s: 2,
  backoffCap_s: 300,
  machine_s: 30,
}
