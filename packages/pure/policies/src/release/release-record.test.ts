import type { Decision, VersionOutcome } from '@ironlaw/contracts/model-registry'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasEvidence, offlineDecision, releaseRecord } from './release-record.ts'

const decision = (number: number, answer: Decision['answer'], at: number, over: Partial<Decision> = {}): Decision => ({
  number,
  answer,
  rule: 'judgement',
  evidence: { artifacts: ['art-1'], figures: [] },
  why: 'x',
  at,
  by: 'ada',
  ...over,
})

const HISTORY = [
  decision(1, 'refused', 10),
  decision(2, 'approved', 20, { role: 'operator' }),
  decision(3, 'waived', 30, { until_at: 40 }),
  decision(4, 'released', 50),
  decision(5, 'retired', 60),
]

test.each([
  ['before any decision', 5, undefined],
  ['refused', 15, 1],
  ['an approval is no verdict', 25, 1],
  ['waived', 35, 3],
  ['once the waiver has ended', 45, 1],
  ['released', 55, 4],
  ['retired later, which is no verdict', 65, undefined],
] as const)('a rollout that began %s has the decision of that time', (_, at, number) => {
  expect(offlineDecision(HISTORY, at)?.number).toBe(number)
})

test("a decision without rule, artifact and figure is a person's word", () => {
  const bare = decision(1, 'released', 1, { evidence: { artifacts: [], figures: [] } })
  expect(hasEvidence(bare)).toBe(false)
  expect(hasEvidence({ ...bare, rule: 'release.yaml' })).toBe(true)
  expect(hasEvidence({ ...bare, evidence: { artifacts: [], figures: [{ name: 'accuracy', value: 0.8 }] } })).toBe(true)
  expect(hasEvidence(decision(1, 'released', 1))).toBe(true)
})

const outcome = (
  offline: VersionOutcome['offline'],
  production: VersionOutcome['production'],
  over: Partial<VersionOutcome> = {},
): VersionOutcome => ({
  deployment: 'chat',
  revision: 2,
  version: 'art-1',
  names: [],
  offline,
  decision: { number: 1, rule: 'judgement', at: 1, by: 'ada' },
  production,
  ended_at: 2,
  why: '',
  ...over,
})

test('misses and false alarms are counted apart, with the interval of Wilson', () => {
  const nine = Array.from({ length: 9 }, () => outcome('released', 'promoted'))
  const record = releaseRecord([
    ...nine,
    outcome('released', 'rolled-back'),
    outcome('refused', 'promoted'),
    outcome('refused', 'rolled-back'),
    outcome('refused', 'rolled-back'),
    outcome('released', 'rolled-back', { ordered_by: 'ben' }),
  ])
  expect(record).toMatchObject({
    released: { rollouts: 10, promoted: 9 },
    refused: { rollouts: 3, promoted: 1 },
    waived: { rollouts: 0, promoted: 0 },
    misses: 1,
    false_alarms: 1,
    ordered: 1,
  })
  // Wilson's formula by hand, z = 1.6449: centre (0.9 + 0.1353) / 1.2706, reach 1.2946 times the root of 0.009 + 0.00676.
  expect(record.released.share?.low).toBeCloseTo(0.6523, 3)
  expect(record.released.share?.high).toBeCloseTo(0.9773, 3)
  expect(record.waived).not.toHaveProperty('share')
})

test('every rollout is counted once, and the share of those promoted lies in its interval', () => {
  const drawn = fc
    .tuple(fc.constantFrom('released', 'waived', 'refused'), fc.constantFrom('promoted', 'rolled-back'), fc.boolean())
    .map(([offline, production, ordered]) => outcome(offline, production, ordered ? { ordered_by: 'ben' } : {}))
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 30 }), (outcomes) => {
      const { released, waived, refused, misses, false_alarms, ordered } = releaseRecord(outcomes)
      expect(released.rollouts + waived.rollouts + refused.rollouts + ordered).toBe(outcomes.length)
      expect(misses).toBe(released.rollouts - released.promoted)
      expect(false_alarms).toBe(refused.promoted)
      for (const { rollouts, promoted, share } of [released, waived, refused]) {
        expect(share === undefined).toBe(rollouts === 0)
        if (!share) continue
        expect(share.low).toBeLessThanOrEqual(promoted / rollouts)
        expect(share.high).toBeGreaterThanOrEqual(promoted / rollouts)
      }
    }),
  )
})
