// How far the configuration in force can be trusted: its age counts from the last moment that its source called it the newest.

export type SnapshotStatus = { readonly age_s: number; readonly isKept: boolean; readonly isRejecting: boolean }

export type SnapshotAge = {
  /** Absent where the snapshot was given and nothing follows. */
  readonly snapshotStatus?: () => SnapshotStatus
  /** Requests are refused when the snapshot in force is older; never when absent. */
  readonly maxSnapshotAge_s?: number
}

export const isTooOld = ({ snapshotStatus, maxSnapshotAge_s = Number.POSITIVE_INFINITY }: SnapshotAge): boolean =>
  maxSnapshotAge_s !== Number.POSITIVE_INFINITY && snapshotStatus !== undefined && snapshotStatus().age_s > maxSnapshotAge_s

export function statusMetrics({ age_s, isKept, isRejecting }: SnapshotStatus): string {
  return [
    `ironlaw_gateway_snapshot_age_seconds ${age_s.toFixed(3)}\n`,
    `ironlaw_gateway_snapshot_kept ${Number(isKept)}\n`,
    `ironlaw_gateway_snapshot_rejecting ${Number(isRejecting)}\n`,
  ].join('')
}
