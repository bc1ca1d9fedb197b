// What gateways counted for the revision that serves and for the one that is tried, look by look. Gateways send totals; what happened
// since the last look is the difference, by gateway, process and replica, so that neither a restart nor a replica that leaves counts twice.

import type { GatewaySync, ReplicaTotals } from '@ironlaw/contracts/gateway-sync'
import { type CanaryEvidence, type CanaryInterval, NO_EVIDENCE, type OutputPairs, withCanaryInterval } from '@ironlaw/policies/rollout'

type Counts = Pick<ReplicaTotals, 'answers' | 'errors' | 'empty' | 'ttft' | 'tpot' | 'outputs'>

export type Evidence = {
  /** The one that is tried: what was gathered about another says nothing about it. */
  readonly revision: number
  readonly at: number
  readonly marks: Readonly<Record<string, Counts>>
  readonly canary: CanaryEvidence
}

export type EvidenceInputs = {
  readonly now: number
  readonly revision: number
  readonly gateways: readonly { readonly id: string; readonly body: GatewaySync }[]
  /** The pool that the new revision is compared with, and its own. */
  readonly control: string
  readonly canary: string
  readonly quality: CanaryInterval['quality']
  /** Before the new revision serves there is nothing to compare. */
  readonly counts: boolean
}

const NOTHING: Counts = { answers: 0, errors: 0, ttft: { count: 0, log_sum: 0 }, tpot: { count: 0, log_sum: 0 } }

export function evidenceAfter(last: Evidence | undefined, seen: EvidenceInputs): Evidence {
  const { now, revision, gateways, control, canary, quality, counts } = seen
  const before = last?.revision === revision ? last : undefined
  const marks: Record<string, Counts> = { ...before?.marks }
  const arms = { [control]: NOTHING, [canary]: NOTHING }
  for (const { id, body } of gateways)
    for (const { pool, id: replica, answers, errors, empty = 0, ttft, tpot, outputs } of body.replicas) {
      // The names are a gateway's: "constructor" is one as well.
      const arm = Object.hasOwn(arms, pool) ? arms[pool] : undefined
      if (!arm) continue
      // A replica that changes its pool begins at zero there.
      const key = `${id} ${body.boot} ${pool} ${replica}`
      const total = { answers, errors, empty, ttft, tpot, ...(outputs && { outputs }) }
      arms[pool] = combinedCounts(arm, combinedCounts(total, marks[key] ?? NOTHING, -1), 1)
      marks[key] = total
    }
  const gathered = before?.canary ?? NO_EVIDENCE
  if (!before || !counts) return { revision, at: now, marks, canary: gathered }
  return {
    revision,
    at: now,
    marks,
    canary: withCanaryInterval(gathered, canaryInterval(now - before.at, { control: arms[control], canary: arms[canary] }, quality)),
  }
}

/** A new stage is judged on its own; what copies of requests showed is kept. */
export const restartedEvidence = ({ canary: { outputs }, ...rest }: Evidence): Evidence => ({
  ...rest,
  canary: { ...NO_EVIDENCE, outputs },
})

function combinedCounts(one: Counts, other: Counts, sign: 1 | -1): Counts {
  const sums = (of: 'ttft' | 'tpot') => ({
    count: one[of].count + sign * other[of].count,
    log_sum: one[of].log_sum + sign * other[of].log_sum,
  })
  return {
    answers: one.answers + sign * other.answers,
    errors: one.errors + sign * other.errors,
    empty: (one.empty ?? 0) + sign * (other.empty ?? 0),
    ttft: sums('ttft'),
    tpot: sums('tpot'),
    outputs: combinedOutputs(one.outputs ?? UNSEEN, other.outputs ?? UNSEEN, sign),
  }
}

type OutputTotals = NonNullable<ReplicaTotals['outputs']>

const UNSEEN: OutputTotals = { pairs: 0, length_log_sum: 0, compared: 0, same: 0, agreed: 0 }

const combinedOutputs = (one: OutputTotals, other: OutputTotals, sign: 1 | -1): OutputTotals => ({
  pairs: one.pairs + sign * other.pairs,
  length_log_sum: one.length_log_sum + sign * other.length_log_sum,
  compared: one.compared + sign * other.compared,
  same: one.same + sign * other.same,
  agreed: one.agreed + sign * other.agreed,
})

type Arms = { readonly control: Counts | undefined; readonly canary: Counts | undefined }

function canaryInterval(
  seconds: number,
  { control = NOTHING, canary = NOTHING }: Arms,
  quality: CanaryInterval['quality'],
): CanaryInterval {
  const sums = ({ count, log_sum }: Counts['ttft']) => ({ count, logSum: log_sum })
  // An empty answer is useless to the client; the control group shows how often one is correct.
  const tally = ({ answers, errors, empty = 0 }: Counts) => ({ total: answers + errors, bad: errors + empty })
  return {
    seconds,
    ttft: { control: sums(control.ttft), canary: sums(canary.ttft) },
    tpot: { control: sums(control.tpot), canary: sums(canary.tpot) },
    errors: { control: tally(control), canary: tally(canary) },
    quality,
    outputs: outputsOf(canary),
  }
}

function outputsOf({ outputs = UNSEEN }: Counts): OutputPairs {
  const { length_log_sum: lengthLogSum, ...counts } = outputs
  return { ...counts, lengthLogSum }
}
