// Autoscalers compared on the same hours: what users noticed, and the replica-seconds against those of a fixed number of replicas
// with which they would have felt the same, chosen with hindsight.

import { type Hour, SPEED } from './hours.ts'
import { podAutoscaler } from './pod-autoscaler.ts'
import { type Outcome, SCALE_RULE, simulateHour } from './simulated.ts'

const MOST = 8
/** Of all requests: a smaller gain is not worth another replica. */
const SAME = 0.0005
/** A second of the hour. */
const LOOK_S = 1 / SPEED

export type ComparedAutoscaler = Outcome & { readonly autoscaler: string; readonly ofFixed: number }

export function comparedAutoscalers(hour: Hour): readonly ComparedAutoscaler[] {
  const fixed = Array.from({ length: MOST }, (_, index) => simulateHour(hour, { replicas: index + 1 }))
  const rule = { ...SCALE_RULE, max: MOST }
  const pods = (utilisation: number, over_s: number): Outcome => {
    const policy = podAutoscaler({ tokensPerSecond: rule.tokensPerSecond, utilisation, over_s: over_s / SPEED, most: MOST })
    return simulateHour(hour, { replicas: 1, autoscale: { rule, every_s: LOOK_S, policy } })
  }
  const outcomes = {
    ours: simulateHour(hour, { replicas: 1, autoscale: { rule, every_s: LOOK_S } }),
    'HPA, 70 %, 30 s': pods(0.7, 30),
    'HPA, 70 %, 60 s': pods(0.7, 60),
    'HPA, 90 %, 60 s': pods(0.9, 60),
  }
  return Object.entries(outcomes).map(([autoscaler, outcome]) => ({
    ...outcome,
    autoscaler,
    ofFixed: outcome.replica_s / fixedFor(fixed, outcome.attained),
  }))
}

/** Replica-seconds of the fixed number that attains as much, by a straight line between whole numbers. */
function fixedFor(fixed: readonly Outcome[], attained: number): number {
  const enough = fixed.findIndex((each) => each.attained >= attained - SAME)
  const [below, above] = [fixed[enough - 1], fixed[enough]]
  if (!above) return fixed.at(-1)?.replica_s ?? 1
  if (!below) return above.replica_s
  return below.replica_s + ((above.replica_s - below.replica_s) * (attained - below.attained)) / (above.attained - below.attained)
}
