// Whether a canary is worse than what serves now, by guardrails that each are a sequential test. One that is worse suffices to take it
// back; all must be as good to go on. The risks are of the whole rollout: divided among guardrails and stages.

import type { Finding } from '@ironlaw/contracts/deployment-api'
import {
  type Drift,
  latencyEvidence,
  latencySamplesNeeded,
  NO_PAIRS,
  type LatencyPairs,
  driftVariance,
  WINDOW,
  withInterval,
} from './latency-evidence.ts'
import type { LatencyInterval } from './interval.ts'
import { countOf, meanOf } from './long-run-variance.ts'
import { NO_OUTPUTS, outputEvidence, type OutputPairs, outputSamplesNeeded, sumOfOutputs } from './output-evidence.ts'
import { rateEvidence, rateSamplesNeeded, type Tally } from './rate-evidence.ts'
import { type Bounds, boundsOf, type Risk, type Verdict, verdictOf } from './sequential-test.ts'

/** The smallest regression that matters: latencies as a share of the control's, rates in absolute terms. */
type Margins = {
  readonly ttft: number
  readonly tpot: number
  readonly errors: number
  readonly quality?: number
  /** Of answers to copies of requests: the share that may differ from those of what serves. */
  readonly outputs?: number
}

type Guardrail = keyof Margins

export type CanaryRule = {
  readonly margins: Margins
  readonly risk: Risk
  readonly drift: Drift
  /** In which it is judged, the time as a shadow among them. */
  readonly stages: number
  /** Copies of requests go to it: only then two answers to one request are there to be compared. */
  readonly isShadow: boolean
}

export type CanaryEvidence = {
  /** Until the newest answers: silence proves nothing. */
  readonly seconds: number
  /** Since then. */
  readonly silent: number
  readonly ttft: LatencyPairs
  readonly tpot: LatencyPairs
  readonly errors: { readonly control: Tally; readonly canary: Tally }
  /** Known prompts answered otherwise than they should be. */
  readonly quality: { readonly control: Tally; readonly canary: Tally }
  readonly outputs: OutputPairs
}

const NONE: Tally = { total: 0, bad: 0 }

export const NO_EVIDENCE: CanaryEvidence = {
  seconds: 0,
  silent: 0,
  ttft: NO_PAIRS,
  tpot: NO_PAIRS,
  errors: { control: NONE, canary: NONE },
  quality: { control: NONE, canary: NONE },
  outputs: NO_OUTPUTS,
}

/** What gateways counted since the last look. */
export type CanaryInterval = {
  readonly seconds: number
  readonly ttft: LatencyInterval
  readonly tpot: LatencyInterval
  readonly errors: { readonly control: Tally; readonly canary: Tally }
  readonly quality: { readonly control: Tally; readonly canary: Tally }
  readonly outputs: OutputPairs
}

export function withCanaryInterval(evidence: CanaryEvidence, seen: CanaryInterval): CanaryEvidence {
  const since = evidence.silent + seen.seconds
  const isAnswered = seen.errors.control.total > 0 && seen.errors.canary.total > 0
  return {
    seconds: evidence.seconds + (isAnswered ? since : 0),
    silent: isAnswered ? 0 : since,
    ttft: withInterval(evidence.ttft, seen.ttft),
    tpot: withInterval(evidence.tpot, seen.tpot),
    errors: {
      control: sumOfTallies(evidence.errors.control, seen.errors.control),
      canary: sumOfTallies(evidence.errors.canary, seen.errors.canary),
    },
    quality: {
      control: sumOfTallies(evidence.quality.control, seen.quality.control),
      canary: sumOfTallies(evidence.quality.canary, seen.quality.canary),
    },
    outputs: sumOfOutputs(evidence.outputs, seen.outputs),
  }
}

const sumOfTallies = (one: Tally, other: Tally): Tally => ({ total: one.total + other.total, bad: one.bad + other.bad })

export type Judgement = { readonly verdict: Verdict; readonly findings: readonly Finding[] }

export function judgeCanary(evidence: CanaryEvidence, rule: CanaryRule): Judgement {
  const { margins, drift, isShadow } = rule
  const bounds = canaryBounds(rule)
  const allowed = driftVariance(drift, evidence.seconds)
  const findings = [
    latencyFinding('ttft', evidence.ttft, { margin: margins.ttft, bounds, wander: allowed }),
    latencyFinding('tpot', evidence.tpot, { margin: margins.tpot, bounds, wander: allowed }),
    rateFinding('errors', evidence.errors, { margin: margins.errors, bounds }),
    ...(margins.quality === undefined ? [] : [rateFinding('quality', evidence.quality, { margin: margins.quality, bounds })]),
    ...(margins.outputs === undefined || !isShadow ? [] : [outputFinding(evidence.outputs, { margin: margins.outputs, bounds })]),
  ]
  const worse = findings.some(({ verdict }) => verdict === 'worse')
  const asGood = findings.every(({ verdict }) => verdict === 'as-good')
  return { verdict: worse ? 'worse' : asGood ? 'as-good' : 'undecided', findings }
}

/** A good revision is tried by every guardrail in every stage; a bad one has to slip through all stages, so its risk is not divided. */
export function canaryBounds({ margins, risk, stages }: Pick<CanaryRule, 'margins' | 'risk' | 'stages'>): Bounds {
  const guardrails = margins.quality === undefined ? 3 : 4
  const tests = guardrails * stages + (margins.outputs === undefined ? 0 : 1)
  return boundsOf({ falseRollback: risk.falseRollback / tests, falsePromotion: risk.falsePromotion })
}

type Terms = { readonly margin: number; readonly bounds: Bounds }

function latencyFinding(of: Guardrail, pairs: LatencyPairs, { margin, bounds, wander: allowed }: Terms & { wander: number }): Finding {
  const evidence = latencyEvidence(pairs, { margin, wander: allowed })
  const windows = countOf(pairs.differences)
  const effect = windows === 0 ? {} : { effect: Math.exp(meanOf(pairs.differences)) }
  const needs = latencySamplesNeeded(pairs, { margin, wander: allowed, asGood: bounds.asGood })
  return {
    of,
    verdict: verdictOf(evidence, bounds),
    evidence,
    samples: windows * WINDOW,
    ...(needs !== undefined && { needs }),
    ...effect,
  }
}

function rateFinding(of: Guardrail, { control, canary }: { control: Tally; canary: Tally }, { margin, bounds }: Terms): Finding {
  const evidence = rateEvidence({ control, canary, margin })
  const effect = canary.total === 0 || control.total === 0 ? {} : { effect: canary.bad / canary.total - control.bad / control.total }
  const needs = rateSamplesNeeded(control, { margin, asGood: bounds.asGood })
  return { of, verdict: verdictOf(evidence, bounds), evidence, samples: canary.total, needs, ...effect }
}

function outputFinding(outputs: OutputPairs, { margin, bounds }: Terms): Finding {
  const evidence = outputEvidence(outputs, margin)
  const { compared, same } = outputs
  const effect = compared === 0 ? {} : { effect: 1 - same / compared }
  const needs = outputSamplesNeeded({ margin, asGood: bounds.asGood })
  return { of: 'outputs', verdict: verdictOf(evidence, bounds), evidence, samples: compared, needs, ...effect }
}
