// The next action for a rollout: a pure function of the observed state. Traffic goes to the new revision in stages, each judged on its own
// evidence; a worse revision is rolled back at once, an undecided one is never promoted.

import type { Rollout } from '@ironlaw/contracts'
import { showPercent } from '@ironlaw/units'
import type { Finding } from '@ironlaw/contracts/deployment-api'
import { type CanaryEvidence, type CanaryRule, type Judgement, judgeCanary } from './judge-canary.ts'

export type RolloutRule = Omit<CanaryRule, 'stages' | 'isShadow'> & {
  /** Shares of the traffic, rising; the last stage before everything. */
  readonly shares: readonly number[]
  /** How long the new revision gets copies of requests before clients see its answers; 0 skips this. */
  readonly shadow_s: number
  /** A stage still undecided after this time pauses the rollout. */
  readonly stage_s: number
  /** Replicas of the new revision that may fail before any of them served. */
  readonly startFailures: number
  /** How long replicas of the previous revision are kept warm after a promotion; 0 disables this. */
  readonly keepPrevious_s: number
}

export const DEFAULT_ROLLOUT: RolloutRule = {
  margins: { ttft: 0.2, tpot: 0.1, errors: 0.02 },
  risk: { falseRollback: 0.05, falsePromotion: 0.05 },
  drift: { share: 0.05, lasting_s: 10 },
  shares: [0.1, 0.5],
  shadow_s: 0,
  stage_s: 3600,
  startFailures: 3,
  // Most faults that a canary missed show within minutes of full traffic. Until then a promotion costs twice its replicas.
  keepPrevious_s: 600,
}

export type RolloutObservation = {
  readonly now: number
  readonly rollout: Rollout
  readonly evidence: CanaryEvidence
  /** Replicas of the new revision that serve, of those that the stage wants. */
  readonly serving: number
  readonly wanted: number
  /** Of the new revision, ended before they served; and why the newest did. */
  readonly failedStarts: number
  readonly failure?: string
  /** Why a replica of it must not get requests; this holds for its other replicas too. */
  readonly unfit?: string
}

export type RolloutAction =
  | { readonly do: 'hold'; readonly why: string }
  | { readonly do: 'advance'; readonly stage: number; readonly why: string }
  | { readonly do: 'promote'; readonly why: string }
  | { readonly do: 'roll-back'; readonly why: string }
  | { readonly do: 'pause'; readonly why: string }

export const canaryRule = ({ margins, risk, drift, shares, shadow_s }: RolloutRule, state: Rollout['state']): CanaryRule => ({
  margins,
  risk,
  drift,
  stages: shares.length + (shadow_s > 0 ? 1 : 0),
  isShadow: state === 'shadow',
})

export function decideRollout(seen: RolloutObservation, rule: RolloutRule): RolloutAction {
  const { rollout, evidence } = seen
  if (rollout.state === 'promoted' || rollout.state === 'rolled-back') return { do: 'hold', why: 'it is over' }
  if (rollout.asked === 'rollback') return { do: 'roll-back', why: 'on request' }
  const judgement = judgeCanary(evidence, canaryRule(rule, rollout.state))
  const worst = judgement.findings.find(({ verdict }) => verdict === 'worse')
  if (worst) return { do: 'roll-back', why: findingText(worst) }
  if (seen.unfit !== undefined) return { do: 'roll-back', why: seen.unfit }
  if (seen.failedStarts >= rule.startFailures)
    return { do: 'roll-back', why: `${seen.failedStarts} of its replicas ended before they served${failureText(seen.failure)}` }
  if (rollout.asked === 'promote') return { do: 'promote', why: 'on request' }
  if (rollout.state === 'paused') return { do: 'hold', why: rollout.why ?? 'paused' }
  if (seen.serving < seen.wanted)
    return { do: 'hold', why: `${seen.serving} of ${seen.wanted} replicas of revision ${rollout.revision} serve` }
  return rollout.state === 'shadow' ? shadowAction(seen, rule, judgement) : stageAction(seen, rule, judgement)
}

const failureText = (why: string | undefined): string => (why === undefined ? '' : `; the last: ${why}`)

function shadowAction({ now, rollout }: RolloutObservation, { shadow_s }: RolloutRule, { findings }: Judgement): RolloutAction {
  const left = rollout.since + shadow_s - now
  if (left > 0) return { do: 'hold', why: `answers copies of requests for another ${Math.ceil(left)} s` }
  const outputs = findings.find(({ of }) => of === 'outputs')
  if (outputs?.verdict !== 'undecided') return { do: 'advance', stage: 0, why: 'nothing worse among the copies' }
  // A pause would give it traffic; as a shadow it waits for evidence or for an operator.
  return { do: 'hold', why: `not decided yet: ${outputs.samples} answers to requests without randomness were compared` }
}

function stageAction({ now, rollout, evidence }: RolloutObservation, rule: RolloutRule, { verdict, findings }: Judgement): RolloutAction {
  if (verdict === 'as-good') {
    const next = rollout.stage + 1
    return next < rule.shares.length
      ? { do: 'advance', stage: next, why: 'as good as the current revision, by every guardrail' }
      : { do: 'promote', why: 'as good as the current revision, by every guardrail, in every stage' }
  }
  const open = findings.filter((finding) => finding.verdict === 'undecided').map((finding) => NAMES[finding.of])
  const samples = `${open.join(', ')} after ${evidence.errors.canary.total} answers`
  if (now - rollout.since > rule.stage_s) return { do: 'pause', why: `undecided for ${Math.round(now - rollout.since)} s: ${samples}` }
  return { do: 'hold', why: `not decided yet: ${samples}` }
}

const NAMES = {
  ttft: 'time to first token',
  tpot: 'time per token',
  errors: 'errors',
  quality: 'wrong answers to known prompts',
  outputs: 'differing answers',
}

function findingText({ of, effect = 0, samples }: Finding): string {
  if (of === 'outputs') return `${showPercent(effect)} ${NAMES[of]} after ${samples} pairs`
  const amount = of === 'ttft' || of === 'tpot' ? `x ${effect.toFixed(2)}` : `${effect < 0 ? '' : '+'}${(100 * effect).toFixed(1)} points`
  return `${NAMES[of]} ${amount} after ${samples} answers`
}
