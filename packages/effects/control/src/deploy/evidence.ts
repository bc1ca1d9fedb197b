// What gateways counted for the revision that serves and for the one that is tried, look by look. Gateways send totals; what happened
// since the last look is the difference, by gateway, process and replica, so that neither a restart nor a replica that leaves counts twice.

import type { GatewaySync, ReplicaTotals } from '@ironlaw/contracts/gateway-sync'
import { type CanaryEvidence, type CanaryInterval, NO_EVIDENCE, withCanaryInterval } from '@ironlaw/policies/rollout'

type Counts = Pick<ReplicaTotals, 'answers' | 'errors' | 'ttft' | 'tpot'>

export type Evidence = {
  readonly at: number
  readonly marks: Readonly<Record<string, Counts>>
  readonly canary: CanaryEvidence
}

export type Seen = {
  readonly now: number
  readonly gateways: readonly { readonly id: string; readonly body: GatewaySync }[]
  /** The pool that the new revision is compared with, and its own. */
  readonly control: string
  readonly canary: string
  readonly quality: CanaryInterval['quality']
  /** Before the new revision serves there is nothing to compare. */
  readonly counts: boolean
}

const NOTHING: Counts = { answers: 0, errors: 0, ttft: { count: 0, log_sum: 0 }, tpot: { count: 0, log_sum: 0 } }

export function evidenceAfter(before: Evidence | undefined, seen: Seen): Evidence {
  const { now, gateways, control, canary, quality, counts } = seen
  const marks: Record<string, Counts> = { ...before?.marks }
  const arms = { [control]: NOTHING, [canary]: NOTHING }
  for (const { id, body } of gateways)
    for (const { pool, id: replica, answers, errors, ttft, tpot } of body.replicas) {
      const arm = arms[pool]
      if (!arm) continue
      // A replica that changes its pool begins at zero there.
      const key = `${id} ${body.boot} ${pool} ${replica}`
      const total = { answers, errors, ttft, tpot }
      arms[pool] = combined(arm, combined(total, marks[key] ?? NOTHING, -1), 1)
      marks[key] = total
    }
  const gathered = before?.canary ?? NO_EVIDENCE
  if (!before || !counts) return { at: now, marks, canary: gathered }
  return {
    at: now,
    marks,
    canary: withCanaryInterval(gathered, interval(now - before.at, { control: arms[control], canary: arms[canary] }, quality)),
  }
}

/** A new stage is judged on its own. */
export const afresh = ({ at, marks }: Evidence): Evidence => ({ at, marks, canary: NO_EVIDENCE })

function combined(one: Counts, other: Counts, sign: 1 | -1): Counts {
  const sums = (of: 'ttft' | 'tpot') => ({
    count: one[of].count + sign * other[of].count,
    log_sum: one[of].log_sum + sign * other[of].log_sum,
  })
  return { answers: one.answers + sign * other.answers, errors: one.errors + sign * other.errors, ttft: sums('ttft'), tpot: sums('tpot') }
}

type Arms = { readonly control: Counts | undefined; readonly canary: Counts | undefined }

function interval(seconds: number, { control = NOTHING, canary = NOTHING }: Arms, quality: CanaryInterval['quality']): CanaryInterval {
  const sums = ({ count, log_sum }: Counts['ttft']) => ({ count, logSum: log_sum })
  const tally = ({ answers, errors }: Counts) => ({ total: answers + errors, bad: errors })
  return {
    seconds,
    ttft: { control: sums(control.ttft), canary: sums(canary.ttft) },
    tpot: { control: sums(control.tpot), canary: sums(canary.tpot) },
    errors: { control: tally(control), canary: tally(canary) },
    quality,
  }
}
