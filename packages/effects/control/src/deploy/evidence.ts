// What gateways counted for the revision that serves and for the one that is tried, look by look.

import { type CanaryEvidence, type CanaryInterval, NO_EVIDENCE, type OutputPairs, withCanaryInterval } from '@ironlaw/policies/rollout'
import { type GatewayIncrement, NO_COUNTS, NO_OUTPUTS, type ReplicaCounts, sumOfCounts } from './increments.ts'

export type Evidence = {
  /** The one that is tried: what was gathered about another says nothing about it. */
  readonly revision: number
  readonly at: number
  readonly canary: CanaryEvidence
}

type EvidenceInputs = {
  readonly now: number
  readonly revision: number
  /** What gateways counted since the last look. */
  readonly since: readonly GatewayIncrement[]
  /** The pool that the new revision is compared with, and its own. */
  readonly control: string
  readonly canary: string
  readonly quality: CanaryInterval['quality']
  /** Before the new revision serves there is nothing to compare. */
  readonly counts: boolean
}

export function evidenceAfter(last: Evidence | undefined, seen: EvidenceInputs): Evidence {
  const { now: at, revision, since, control, canary, quality, counts } = seen
  const before = last?.revision === revision ? last : undefined
  const gathered = before?.canary ?? NO_EVIDENCE
  if (!before || !counts) return { revision, at, canary: gathered }
  const replicas = since.flatMap((gateway) => gateway.replicas)
  const arm = (pool: string) => replicas.filter((replica) => replica.pool === pool).reduce(sumOfCounts, NO_COUNTS)
  const interval = canaryInterval(at - before.at, { control: arm(control), canary: arm(canary) }, quality)
  return { revision, at, canary: withCanaryInterval(gathered, interval) }
}

/** A new stage is judged on its own; what copies of requests showed is kept. */
export const restartedEvidence = ({ canary: { outputs }, ...rest }: Evidence): Evidence => ({
  ...rest,
  canary: { ...NO_EVIDENCE, outputs },
})

type Arms = { readonly control: ReplicaCounts; readonly canary: ReplicaCounts }

function canaryInterval(seconds: number, { control, canary }: Arms, quality: CanaryInterval['quality']): CanaryInterval {
  const sums = ({ count, log_sum }: ReplicaCounts['ttft']) => ({ count, logSum: log_sum })
  // An empty answer is useless to the client; the control group shows how often one is correct.
  const tally = ({ answers, errors, empty = 0 }: ReplicaCounts) => ({ total: answers + errors, bad: errors + empty })
  return {
    seconds,
    ttft: { control: sums(control.ttft), canary: sums(canary.ttft) },
    tpot: { control: sums(control.tpot), canary: sums(canary.tpot) },
    errors: { control: tally(control), canary: tally(canary) },
    quality,
    outputs: outputsOf(canary),
  }
}

function outputsOf({ outputs = NO_OUTPUTS }: ReplicaCounts): OutputPairs {
  const { length_log_sum: lengthLogSum, ...counts } = outputs
  return { ...counts, lengthLogSum }
}
