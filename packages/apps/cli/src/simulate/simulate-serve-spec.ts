// How the replicas of a serving spec are run, in addition to the plan that follows from it. Fields that a simulation of the peak does not
// read are reported.

import { quantityOf } from '@ironlaw/contracts'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import type { ClusterRule } from '@ironlaw/simulator/serving'

export type SpecSettings = {
  readonly replicas?: number
  /** Requests that a gateway sends to one replica at once. */
  readonly maxRunning?: number
  readonly coldStart_s: number
  readonly scaling?: NonNullable<ClusterRule['autoscale']>['rule']
  readonly trace?: string
  readonly notSimulated: readonly string[]
}

export function settingsOf({ coldStart, traffic, deploy }: ServeSpec): SpecSettings {
  const scaling = deploy?.scaling
  return {
    coldStart_s: quantityOf(coldStart, 's'),
    ...(deploy?.replicas !== undefined && { replicas: deploy.replicas }),
    ...(deploy && { maxRunning: deploy.max_running }),
    ...(scaling && {
      scaling: {
        min: scaling.min,
        max: scaling.max,
        tokensPerSecond: scaling.tokens_per_s,
        covered: scaling.covered,
        coldStart_s: scaling.cold_start_s,
        drain_s: scaling.drain_s,
        downAfter_s: scaling.down_after_s,
        idle_s: scaling.idle_s,
      },
    }),
    ...(traffic.trace !== undefined && { trace: traffic.trace }),
    notSimulated:
      traffic.daily === undefined ? [] : ['traffic.daily: this is the peak; "ironlaw plan" simulates the day, and --trace replays one'],
  }
}
