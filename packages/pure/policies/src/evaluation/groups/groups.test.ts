import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { draws } from '../../draws.fixture.ts'
import { type GapRule, type GroupedOutcome, judgeGroups } from './group-gaps.ts'
import { gapBounds, ratioBounds, shareBounds, shareOf } from './proportions.ts'

const RULE: GapRule = { limits: { opportunity: 0.1 }, risk: { falseBlock: 0.05, miss: 0.05 }, least: 30 }

describe('bounds of shares', () => {
  test('are those that Newcombe published', () => {
    const share = shareBounds({ of: 263, are: 81 }, 0.025)
    expect([share.low, share.high]).toEqual([expect.closeTo(0.2553, 4), expect.closeTo(0.3662, 4)])
    const gap = gapBounds({ of: 70, are: 56 }, { of: 80, are: 48 }, 0.025)
    expect([gap.low, gap.high]).toEqual([expect.closeTo(0.0524, 4), expect.closeTo(0.3339, 4)])
  })

  const share = fc.integer({ min: 1, max: 2000 }).chain((of) => fc.integer({ min: 0, max: of }).map((are) => ({ of, are })))

  property.prop([share, share])('enclose what was seen, and turn around with the two', (first, second) => {
    const gap = gapBounds(first, second, 0.05)
    const turned = gapBounds(second, first, 0.05)
    expect(gap.low).toBeLessThanOrEqual(shareOf(first) - shareOf(second) + 1e-12)
    expect(gap.low).toBeCloseTo(-turned.high, 9)
    if (first.are === 0 || second.are === 0) return
    const [ratio, inverse] = [ratioBounds(first, second, 0.05), ratioBounds(second, first, 0.05)]
    const seen = shareOf(first) / shareOf(second)
    expect(ratio.low).toBeLessThanOrEqual(seen * (1 + 1e-9))
    expect(ratio.high).toBeGreaterThanOrEqual(seen * (1 - 1e-9))
    expect(ratio.low * inverse.high).toBeCloseTo(1, 6)
  })

  test.each([
    [0.3, 0.2, 60],
    [0.9, 0.8, 200],
    [0.05, 0.04, 400],
  ])('hold their level at %d, %d and %d cases', (a, b, cases) => {
    const random = draws(cases)
    const drawn = (chance: number) => ({ of: cases, are: Array.from({ length: cases }, () => random() < chance).filter(Boolean).length })
    let [gaps, ratios] = [0, 0]
    const times = 1500
    for (let time = 0; time < times; time += 1) {
      const [first, second] = [drawn(a), drawn(b)]
      const [gap, ratio] = [gapBounds(first, second, 0.05), ratioBounds(first, second, 0.05)]
      if (gap.low > a - b || gap.high < a - b) gaps += 1 / times
      if (ratio.low > a / b || ratio.high < a / b) ratios += 1 / times
    }
    // Both bounds together err in a tenth.
    for (const erred of [gaps, ratios]) {
      expect(erred).toBeLessThan(0.125)
      expect(erred).toBeGreaterThan(0.05)
    }
  })
})

type Drawn = { readonly group: string; readonly cases: number; readonly truth: number; readonly found: number; readonly alarms: number }

function outcomes(groups: readonly Drawn[], random: () => number): GroupedOutcome[] {
  return groups.flatMap(({ group, cases, truth: share, found, alarms }) =>
    Array.from({ length: cases }, () => {
      const truth = random() < share
      return { group, truth, said: random() < (truth ? found : alarms) }
    }),
  )
}

const alike = { truth: 0.5, found: 0.8, alarms: 0.1 }

describe('groups', () => {
  const verdicts = (groups: readonly Drawn[], rule: GapRule, times: number): Record<string, number> => {
    const random = draws(groups.length + times)
    const seen: Record<string, number> = { 'as-good': 0, worse: 0, undecided: 0 }
    for (let time = 0; time < times; time += 1) {
      const { verdict } = judgeGroups(outcomes(groups, random), rule)
      seen[verdict] = (seen[verdict] ?? 0) + 1 / times
    }
    return seen
  }
  const rule: GapRule = { ...RULE, limits: { opportunity: 0.1, odds: 0.1 } }

  test('that are treated alike are refused in 5 % at most, and pass where there are enough of them', () => {
    const groups = ['a', 'b', 'c'].map((group, index) => ({ group, cases: 1500 - index, ...alike }))
    const seen = verdicts(groups, rule, 200)
    expect(seen['worse']).toBeLessThanOrEqual(0.05)
    expect(seen['as-good']).toBeGreaterThan(0.9)
  })

  test('of which one is off by the limit pass in about 5 %, and are refused where there are enough of them', () => {
    const groups = [
      { group: 'a', cases: 1500, ...alike },
      { group: 'b', cases: 1500, ...alike, found: 0.7 },
    ]
    const seen = verdicts(groups, rule, 200)
    expect(seen['as-good']).toBeLessThanOrEqual(0.1)
    expect(seen['worse']).toBeGreaterThan(0.85)
  })

  test('too small to be judged are undecided, with their number', () => {
    const judged = judgeGroups(
      outcomes(
        [
          { group: 'many', cases: 1000, ...alike },
          { group: 'few', cases: 20, ...alike },
        ],
        draws(1),
      ),
      RULE,
    )
    expect(judged).toMatchObject({ verdict: 'undecided', gaps: [{ group: 'few', against: 'many', verdict: 'undecided' }] })
    expect(judged.gaps[0]?.cases).toBeLessThan(20)
  })

  test('one group alone is undecided', () => {
    expect(judgeGroups(outcomes([{ group: 'all', cases: 100, ...alike }], draws(2)), RULE)).toEqual({ verdict: 'undecided', gaps: [] })
  })

  test('selection is judged by its ratio', () => {
    const groups = [
      { group: 'a', cases: 3000, truth: 0.5, found: 0.9, alarms: 0.1 },
      { group: 'b', cases: 2000, truth: 0.3, found: 0.9, alarms: 0.1 },
    ]
    const { verdict, gaps } = judgeGroups(outcomes(groups, draws(3)), { ...RULE, limits: { selection: 0.8 } })
    expect(verdict).toBe('worse')
    expect(gaps[0]?.bounds.low).toBeLessThan(0.34 / 0.5)
    expect(gaps[0]?.bounds.high).toBeGreaterThan(0.34 / 0.5)
  })

  test('criteria that cannot hold together where base rates differ are named', () => {
    const asked: GapRule = { ...RULE, limits: { odds: 0.1, precision: 0.1 } }
    const [a, b] = [
      { group: 'a', cases: 2000, ...alike },
      { group: 'b', cases: 1900, ...alike, truth: 0.3 },
    ]
    expect(judgeGroups(outcomes([a, b], draws(4)), asked).impossible).toMatch(
      /^odds and precision cannot hold together: what is asked about is true in \d+\.\d % of a and \d+\.\d % of b; choose one$/,
    )
    expect(judgeGroups(outcomes([a, { ...b, truth: 0.5 }], draws(4)), asked).impossible).toBeUndefined()
    expect(judgeGroups(outcomes([a, b], draws(4)), RULE).impossible).toBeUndefined()
  })
})
