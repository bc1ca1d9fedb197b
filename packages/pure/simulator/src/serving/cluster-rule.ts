// A deployment: its replicas, and what stands before them. The decisions are those of the gateway and the control plane, from `policies`.

import { type Quota, type RouterName, ROUTERS, type ScaleDecision, type ScaleRule, type ScaleObservation } from '@ironlaw/policies/serving'
import type { ReplicaRule } from './replica-rule.ts'

export type TenantRule = {
  readonly weight: number
  /** The lower the sooner. */
  readonly priority: number
  readonly quota?: Quota
}

/** The way of caches out of a replica or into one. */
export type ReplicaPorts = {
  /** The cache of a prompt of so many tokens, on the way that it takes alone. */
  readonly time_s: (tokens: number) => number
  /** Such ways side by side, each for one prompt at a time. */
  readonly ports: number
}

export type ClusterRule = {
  readonly replica: ReplicaRule
  /** Ready at the start; whole ones, whatever lanes they have. */
  readonly replicas: number
  readonly router: RouterName
  /**
   * Replicas on one machine that share its cores: the factor on the time of a step by how many of them step, from one on; the last
   * factor holds beyond. A step keeps the factor it began with. When left out, replicas do not slow each other.
   */
  readonly sharing?: readonly number[]
  /** Prompts on replicas of their own; the others then decode only. */
  readonly prefill?: {
    readonly replica: ReplicaRule
    readonly replicas: number
    /** The cache of a prompt, from the replica that made it to one that decodes. */
    readonly transfer: { readonly send: ReplicaPorts; readonly receive: ReplicaPorts; readonly latency_s: number }
  }
  /** Requests wait at the gateway, fairly among tenants, rather than at a replica; left out, everything is sent on at once. */
  readonly admission?: {
    readonly maxRunningPerReplica: number
    readonly maxQueued: number
    readonly maxQueuedTokens: number
    readonly deadline_s: number
  }
  readonly tenants?: readonly TenantRule[]
  readonly autoscale?: {
    readonly rule: ScaleRule
    readonly every_s: number
    /** Decides instead of ours, to be compared with it. */
    readonly policy?: (seen: ScaleObservation) => ScaleDecision
  }
  /** Memoryless failures of each replica. */
  readonly failure?: { readonly mtbf_s: number; readonly repair_s: number }
  /** A request within both counts as good. */
  readonly objectives?: { readonly ttft_s: number; readonly tpot_s: number }
}

export const ROUTER_NAMES: readonly string[] = Object.keys(ROUTERS)

export const isRouter = (name: string): name is RouterName => ROUTER_NAMES.includes(name)
