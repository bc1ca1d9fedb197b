// Rollouts on paper: the judge and the decision of production against two arms of which we know whether one is worse. Latencies of both
// follow the load they share, each arm drifts by itself too (its replicas' queues), and single answers scatter.

import {
  decideRollout,
  NO_EVIDENCE,
  NO_OUTPUTS,
  type CanaryEvidence,
  type RolloutRule,
  withCanaryInterval,
} from '@ironlaw/policies/rollout'
import type { Rollout } from '@ironlaw/contracts'
import { RandomStream } from '../kernel/random-stream.ts'

export type Regression = {
  /** Factors on the canary's latencies; 1 is none. */
  readonly ttft: number
  readonly tpot: number
  /** Added to its share of errors and of wrong answers. */
  readonly errors: number
  readonly quality: number
}

export type Traffic = {
  readonly requests_per_s: number
  readonly errors: number
  /** Known prompts a second, sent to both arms. */
  readonly probes_per_s: number
  /** Standard deviations of the logarithm of a latency: of one answer, of the shared load, of an arm's own drift. */
  readonly scatter: number
  readonly load: number
  readonly drift: number
}

export const USUAL_TRAFFIC: Traffic = { requests_per_s: 50, errors: 0.002, probes_per_s: 1, scatter: 0.6, load: 0.3, drift: 0.05 }

type RolloutTrial = { readonly end: 'promoted' | 'rolled-back' | 'paused'; readonly took_s: number }

export type RolloutTrialSummary = {
  readonly promoted: number
  readonly rolledBack: number
  readonly paused: number
  /** Until it ended, either way. */
  readonly median_s: number
  readonly p95_s: number
}

type TrialInputs = { readonly regression: Regression; readonly traffic: Traffic }

export function rolloutTrials(
  rule: RolloutRule,
  { seed, trials, ...given }: TrialInputs & { seed: number; trials: number },
): RolloutTrialSummary {
  const all = Array.from({ length: trials }, (_, index) => rolloutTrial(rule, { ...given, seed: [seed, index] }))
  const times = all.map(({ took_s }) => took_s).toSorted((one, other) => one - other)
  const count = (end: RolloutTrial['end']): number => all.filter((trial) => trial.end === end).length
  const at = (share: number): number => times[Math.min(trials - 1, Math.floor(share * trials))] ?? 0
  return { promoted: count('promoted'), rolledBack: count('rolled-back'), paused: count('paused'), median_s: at(0.5), p95_s: at(0.95) }
}

/** The memory of load and drift from one second to the next. */
const PERSISTENCE = 0.9

function rolloutTrial(rule: RolloutRule, { regression, traffic, seed }: TrialInputs & { seed: readonly number[] }): RolloutTrial {
  const random = new RandomStream(seed)
  let stage = 0
  let since = 0
  let evidence: CanaryEvidence = NO_EVIDENCE
  const weather = { load: 0, control: 0, canary: 0 }
  for (let now = 1; ; now += 1) {
    weather.load = driftedValue(weather.load, traffic.load, random)
    weather.control = driftedValue(weather.control, traffic.drift, random)
    weather.canary = driftedValue(weather.canary, traffic.drift, random)
    const share = rule.shares[stage] ?? 1
    const canary = armSample(random, {
      traffic,
      requests: traffic.requests_per_s * share,
      level: weather.load + weather.canary,
      regression,
    })
    const control = armSample(random, { traffic, requests: traffic.requests_per_s * (1 - share), level: weather.load + weather.control })
    evidence = withCanaryInterval(evidence, {
      seconds: 1,
      ttft: { control: control.ttft, canary: canary.ttft },
      tpot: { control: control.tpot, canary: canary.tpot },
      errors: { control: control.errors, canary: canary.errors },
      quality: { control: control.quality, canary: canary.quality },
      outputs: NO_OUTPUTS,
    })
    const rollout: Rollout = { revision: 2, stable: 1, state: 'canary', stage, since }
    const action = decideRollout({ now, rollout, evidence, serving: 1, wanted: 1, failedStarts: 0 }, rule)
    if (action.do === 'roll-back') return { end: 'rolled-back', took_s: now }
    if (action.do === 'promote') return { end: 'promoted', took_s: now }
    if (action.do === 'pause') return { end: 'paused', took_s: now }
    if (action.do === 'advance') {
      stage = action.stage
      since = now
      evidence = NO_EVIDENCE
    }
  }
}

const driftedValue = (value: number, spread: number, random: RandomStream): number =>
  PERSISTENCE * value + Math.sqrt(1 - PERSISTENCE ** 2) * spread * random.normal()

type ArmInputs = { readonly traffic: Traffic; readonly requests: number; readonly level: number; readonly regression?: Regression }

export const NO_REGRESSION: Regression = { ttft: 1, tpot: 1, errors: 0, quality: 0 }

function armSample(random: RandomStream, { traffic, requests, level, regression = NO_REGRESSION }: ArmInputs) {
  const total = poisson(random, requests)
  const bad = binomial(random, total, traffic.errors + regression.errors)
  const good = total - bad
  const probes = poisson(random, traffic.probes_per_s)
  return {
    ttft: { count: good, logSum: logSum(random, good, { level: level + Math.log(regression.ttft), scatter: traffic.scatter }) },
    tpot: { count: good, logSum: logSum(random, good, { level: level + Math.log(regression.tpot), scatter: traffic.scatter / 2 }) },
    errors: { total, bad },
    quality: { total: probes, bad: binomial(random, probes, regression.quality) },
  }
}

/** The sum of normal numbers is one normal number. */
const logSum = (random: RandomStream, count: number, { level, scatter }: { level: number; scatter: number }): number =>
  count * level + Math.sqrt(count) * scatter * random.normal()

function poisson(random: RandomStream, mean: number): number {
  let count = 0
  for (let time = random.exponential(); time < mean; time += random.exponential()) count += 1
  return count
}

function binomial(random: RandomStream, total: number, share: number): number {
  let count = 0
  for (let index = 0; index < total; index += 1) if (random.uniform() < share) count += 1
  return count
}
