import { describe, expect, test } from 'vitest'
import { DEFAULT_ROLLOUT, canaryRule, decideRollout, type RolloutRule, type RolloutObservation } from './decide-rollout.ts'
import { canaryBounds, type CanaryEvidence, type CanaryInterval, judgeCanary, NO_EVIDENCE, withCanaryInterval } from './judge-canary.ts'
import { countOf, longRunVariance, meanOf, type Spread, withValue } from './long-run-variance.ts'
import { NO_OUTPUTS, outputEvidence } from './output-evidence.ts'
import { rateEvidence, rateSamplesNeeded } from './rate-evidence.ts'
import { boundsOf, verdictOf } from './sequential-test.ts'

const NONE = { total: 0, bad: 0 }

/** So many answers of each arm in a second; latencies alternate around a level, so that they scatter. */
function second(index: number, { slower = 1, bad = 0, answers = 20 } = {}): CanaryInterval {
  const level = index % 2 === 0 ? 0.1 : -0.1
  const arm = (factor: number) => ({ count: answers, logSum: answers * (level * factor + Math.log(factor)) })
  return {
    seconds: 1,
    ttft: { control: { count: answers, logSum: answers * level }, canary: arm(slower) },
    tpot: { control: { count: answers, logSum: -answers * level }, canary: { count: answers, logSum: -answers * level * 0.9 } },
    errors: { control: { total: 9 * answers, bad: 0 }, canary: { total: answers, bad } },
    quality: { control: NONE, canary: NONE },
    outputs: NO_OUTPUTS,
  }
}

function evidenceAfter(seconds: number, what = {}): CanaryEvidence {
  return Array.from({ length: seconds }, (_, index) => second(index, what)).reduce(withCanaryInterval, NO_EVIDENCE)
}

const rule = canaryRule(DEFAULT_ROLLOUT, 'canary')

describe('a canary', () => {
  test('that is as good is found so, and not before there is evidence', () => {
    expect(judgeCanary(evidenceAfter(4), rule).verdict).toBe('undecided')
    expect(judgeCanary(evidenceAfter(300), rule).verdict).toBe('as-good')
  })

  test('that is three times as slow is found within seconds', () => {
    const { verdict, findings } = judgeCanary(evidenceAfter(10, { slower: 3 }), rule)
    expect(verdict).toBe('worse')
    expect(findings.find(({ of }) => of === 'ttft')?.effect).toBeCloseTo(3, 1)
  })

  test('that is asked nothing proves nothing, however long', () => {
    const silence = { ...second(0, { answers: 0 }), seconds: 3600 }
    const quiet = [4, 40].map((seconds) => evidenceAfter(seconds, { slower: 1.2 }))
    for (const evidence of quiet) expect(judgeCanary(withCanaryInterval(evidence, silence), rule)).toEqual(judgeCanary(evidence, rule))
  })

  test('that fails is found after a few answers; one stray error decides nothing', () => {
    const evidence = (bad: number) =>
      judgeCanary({ ...NO_EVIDENCE, seconds: 1, errors: { control: { total: 500, bad: 0 }, canary: { total: 10, bad } } }, rule).verdict
    expect(evidence(1)).toBe('undecided')
    expect(evidence(4)).toBe('worse')
  })

  test('errors that the control has as well are no reason', () => {
    const both = { control: { total: 10_000, bad: 500 }, canary: { total: 1000, bad: 50 }, margin: 0.02 }
    expect(rateEvidence(both)).toBeLessThan(-1)
    expect(rateEvidence({ ...both, canary: { total: 1000, bad: 75 } })).toBeGreaterThan(1)
  })
})

describe('the size of the sample follows from the effect to detect', () => {
  const { asGood } = canaryBounds(rule)

  test('of rates: half the margin needs more than twice as many samples, and that many do decide', () => {
    const control = { total: 1000, bad: 10 }
    const needs = rateSamplesNeeded(control, { margin: 0.02, asGood })
    expect(rateSamplesNeeded(control, { margin: 0.01, asGood })).toBeGreaterThan(2 * needs)
    const evidence = rateEvidence({ control, canary: { total: needs, bad: needs * (10.5 / 1001) }, margin: 0.02 })
    expect(evidence).toBeCloseTo(asGood, 6)
  })

  test('of latencies: known once answers scatter, and met by those that are as good', () => {
    const ttftFinding = (seconds: number) => judgeCanary(evidenceAfter(seconds), rule).findings.find(({ of }) => of === 'ttft')
    expect(ttftFinding(4)?.needs).toBeUndefined()
    const { needs = Infinity } = ttftFinding(300) ?? {}
    expect(needs).toBeLessThan(ttftFinding(300)?.samples ?? 0)
    expect(ttftFinding(300)?.verdict).toBe('as-good')
  })
})

test("Wald's bounds", () => {
  const bounds = boundsOf({ falseRollback: 0.01, falsePromotion: 0.05 })
  expect(verdictOf(Math.log(0.95 / 0.01) + 1e-9, bounds)).toBe('worse')
  expect(verdictOf(Math.log(0.95 / 0.01) - 1e-9, bounds)).toBe('undecided')
  expect(verdictOf(Math.log(0.05 / 0.99) - 1e-9, bounds)).toBe('as-good')
})

test('the long-run variance of values that stay alike exceeds that of their scatter', () => {
  const spreadOf = (values: readonly number[]): Spread => values.reduce<Spread>(withValue, [])
  const alternating = spreadOf(Array.from({ length: 256 }, (_, index) => (index % 2 === 0 ? 1 : -1)))
  const lasting = spreadOf(Array.from({ length: 256 }, (_, index) => (Math.floor(index / 16) % 2 === 0 ? 1 : -1)))
  expect(countOf(lasting)).toBe(256)
  expect(meanOf(lasting)).toBeCloseTo(0, 12)
  expect(longRunVariance(lasting)).toBeGreaterThan(10 * longRunVariance(alternating))
})

describe('a rollout', () => {
  const observedRollout = (more: Partial<RolloutObservation>): RolloutObservation => ({
    now: 300,
    rollout: { revision: 2, stable: 1, state: 'canary', stage: 0, since: 0 },
    evidence: NO_EVIDENCE,
    serving: 1,
    wanted: 1,
    failedStarts: 0,
    ...more,
  })
  const actionFor = (more: Partial<RolloutObservation>) => decideRollout(observedRollout(more), DEFAULT_ROLLOUT)

  test('goes from stage to stage and is promoted after the last', () => {
    const evidence = evidenceAfter(300)
    expect(actionFor({ evidence })).toMatchObject({ do: 'advance', stage: 1 })
    expect(actionFor({ evidence, rollout: { ...observedRollout({}).rollout, stage: 1 } })).toMatchObject({ do: 'promote' })
  })

  test('is rolled back when a guardrail says so, also while it is paused or being promoted by hand', () => {
    const evidence = evidenceAfter(20, { bad: 5 })
    for (const state of ['shadow', 'canary', 'paused'] as const)
      expect(actionFor({ evidence, rollout: { ...observedRollout({}).rollout, state, asked: 'promote' } })).toEqual({
        do: 'roll-back',
        why: 'errors +25.0 points after 400 answers',
      })
  })

  test('is rolled back when its replicas do not start', () => {
    expect(actionFor({ serving: 0, failedStarts: 3 })).toMatchObject({ do: 'roll-back', why: '3 of its replicas ended before they served' })
    expect(actionFor({ serving: 0, failedStarts: 2 })).toMatchObject({ do: 'hold', why: '0 of 1 replicas of revision 2 serve' })
  })

  test('without enough evidence waits, and in the end for a person', () => {
    expect(actionFor({})).toMatchObject({ do: 'hold', why: 'not decided yet: time to first token, time per token, errors after 0 answers' })
    expect(actionFor({ now: 4000 })).toMatchObject({ do: 'pause' })
    expect(actionFor({ rollout: { ...observedRollout({}).rollout, asked: 'promote' } })).toMatchObject({ do: 'promote' })
    expect(actionFor({ rollout: { ...observedRollout({}).rollout, asked: 'rollback' } })).toMatchObject({
      do: 'roll-back',
      why: 'on request',
    })
  })

  describe('as a shadow, where answers may differ in 20 %', () => {
    const shadow = { ...observedRollout({}).rollout, state: 'shadow' as const }
    const rule: RolloutRule = { ...DEFAULT_ROLLOUT, shadow_s: 10, margins: { ...DEFAULT_ROLLOUT.margins, outputs: 0.2 } }
    const outputs = (compared: number, same: number) => ({ ...NO_EVIDENCE, outputs: { ...NO_OUTPUTS, pairs: compared, compared, same } })
    const after = (compared: number, same: number, more: Partial<RolloutObservation> = {}) =>
      decideRollout(observedRollout({ rollout: shadow, evidence: outputs(compared, same), ...more }), rule)

    test('goes on when they are the same, but for rounding', () => {
      expect(after(100, 97)).toMatchObject({ do: 'advance', stage: 0 })
      expect(after(100, 97, { now: 5 })).toMatchObject({ do: 'hold', why: 'answers copies of requests for another 5 s' })
    })

    test('is rolled back before a client sees it when they differ', () => {
      expect(after(20, 4)).toEqual({ do: 'roll-back', why: '80.0 % differing answers after 20 pairs' })
    })

    test('waits as a shadow, however long, while the evidence is insufficient', () => {
      expect(after(3, 3, { now: 1e6 })).toMatchObject({ do: 'hold' })
      expect(outputEvidence(outputs(0, 0).outputs, 0.2)).toBe(0)
    })

    test('is not judged by them later, and not without a margin', () => {
      const actionIn = (rollout: RolloutObservation['rollout'], used = rule) =>
        judgeCanary(outputs(20, 4), canaryRule(used, rollout.state)).findings.map((finding) => finding.of)
      expect(actionIn(shadow)).toContain('outputs')
      expect(actionIn({ ...shadow, state: 'canary' })).not.toContain('outputs')
      expect(actionIn(shadow, { ...rule, margins: DEFAULT_ROLLOUT.margins })).not.toContain('outputs')
    })
  })
})
