// Replicas hour by hour for a day of traffic: the same requests served by as many replicas as the peak needs, all day, and by those that the
// autoscaler keeps. What is saved is worth nothing without what users felt, so both come with the share of requests within the objectives.

import type { Arrivals } from './arrivals.ts'
import type { ClusterRule } from './cluster-rule.ts'
import type { ServingOutcome } from './outcome.ts'
import { simulateServing } from './simulate-serving.ts'

type HourOfDay = {
  readonly requests: number
  /** On average, those that start included. */
  readonly replicas: number
  readonly most: number
}

type ReplicaUse = { readonly replica_h: number; readonly attained: number }

export type DaySchedule = { readonly hours: readonly HourOfDay[]; readonly held: ReplicaUse; readonly scaled: ReplicaUse }

export type DayRule = ClusterRule & { readonly autoscale: NonNullable<ClusterRule['autoscale']> }

const HOUR_S = 3600

type DrawOptions = { readonly seed: number; /** That requests point into. */ readonly hashes?: Int32Array }

export function daySchedule({ autoscale, ...held }: DayRule, arrivals: () => Arrivals, drawn: DrawOptions): DaySchedule {
  const requests: number[] = []
  const looks: { sum: number; count: number; most: number }[] = []
  const next = arrivals()
  const countedArrivals: Arrivals = (into) => {
    const more = next(into)
    if (more) {
      const hour = Math.floor(into.at / HOUR_S)
      requests[hour] = (requests[hour] ?? 0) + 1
    }
    return more
  }
  const recordLook = (at: number, replicas: number): void => {
    const look = (looks[Math.floor(at / HOUR_S)] ??= { sum: 0, count: 0, most: 0 })
    look.sum += replicas
    look.count += 1
    look.most = Math.max(look.most, replicas)
  }
  const scaled = simulateServing({ ...held, autoscale }, countedArrivals, { ...drawn, looked: recordLook })
  return {
    hours: Array.from(requests, (count: number | undefined, hour) => {
      const { sum, count: times, most } = looks[hour] ?? { sum: held.replicas, count: 1, most: held.replicas }
      return { requests: count ?? 0, replicas: sum / times, most }
    }),
    held: replicaUse(simulateServing(held, arrivals(), drawn)),
    scaled: replicaUse(scaled),
  }
}

const replicaUse = ({ replica_s, attained }: ServingOutcome): ReplicaUse => ({ replica_h: replica_s / HOUR_S, attained })
