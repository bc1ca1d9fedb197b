// How far the configuration in force can be trusted: its age counts from the last moment that its source called it the newest.

import { metricFamily } from '@ironlaw/contracts'

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
  const gauge = (name: string, help: string, value: string): string =>
    metricFamily(`ironlaw_gateway_snapshot_${name}`, 'gauge', { help, lines: [`ironlaw_gateway_snapshot_${name} ${value}\n`] })
  return [
    gauge('age_seconds', 'Since the source last called the configuration in force the newest', age_s.toFixed(3)),
    gauge('kept', '1 when a copy of the configuration is on disk', String(Number(isKept))),
    gauge('rejecting', '1 while a newer configuration could not be applied', String(Number(isRejecting))),
  ].join('')
}
