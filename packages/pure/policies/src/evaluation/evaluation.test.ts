import { fc, test as property } from '@fast-check/vitest'
import { pairedItems } from '@ironlaw/laws/experiments/sample-size'
import { normalQuantile } from '@ironlaw/laws/normal'
import { scalar } from '@ironlaw/units'
import { describe, expect, test } from 'vitest'
import { draws } from '../draws.fixture.ts'
import { differenceBounds } from './difference-interval.ts'
import { judgeDifference, judgeSlices, verdictOfAll } from './judge-difference.ts'
import { stageJudge } from './judge-stage.ts'
import { pairedDifference, type PairedScore } from './paired-scores.ts'
import { fixedInformation } from './information.ts'
import { spentRisk, STAGES, stageItems, stageLevels } from './sequential-design.ts'
import { verdictChances } from './verdict-chances.ts'

const RISK = { falseBlock: 0.05, miss: 0.05 }
const RULE = { margin: 0.02, risk: RISK }

/** Standard errors between the counts and a supposed difference, the share of losses found by trying many. */
function scoreByLikelihood({ items, won, lost }: { items: number; won: number; lost: number }, difference: number): number {
  const tried = Array.from({ length: 200_000 }, (_, index) => (index + 0.5) / 200_000).filter(
    (own) => own + difference > 0 && 2 * own + difference < 1,
  )
  const likelihood = (own: number): number =>
    won * Math.log(own + difference) + lost * Math.log(own) + (items - won - lost) * Math.log(1 - 2 * own - difference)
  const best = tried.reduce((one, other) => (likelihood(other) > likelihood(one) ? other : one))
  return (won - lost - items * difference) / Math.sqrt(items * (2 * best + difference - difference * difference))
}

type Drawn = { readonly items: number; readonly differing: number; readonly difference: number }

function drawScores({ items, differing, difference }: Drawn, random: () => number): PairedScore[] {
  const lost = (differing - difference) / 2
  return Array.from({ length: items }, () => {
    const draw = random()
    return draw < lost ? { before: 1, after: 0 } : draw < differing ? { before: 0, after: 1 } : { before: 1, after: 1 }
  })
}

function shares(drawn: Drawn, times: number): Record<string, number> {
  const random = draws(drawn.items)
  const seen: Record<string, number> = { 'as-good': 0, worse: 0, undecided: 0 }
  for (let time = 0; time < times; time += 1) {
    const { verdict } = judgeDifference(pairedDifference(drawScores(drawn, random)), RULE)
    seen[verdict] = (seen[verdict] ?? 0) + 1 / times
  }
  return seen
}

describe('a paired comparison', () => {
  const enough = pairedItems.of({ differing: scalar(0.1), margin: scalar(0.02), zBeta: scalar(1.645) })

  test('of enough items refuses an equal model and passes one that is worse by the margin in 5 % each', () => {
    const equal = shares({ items: Math.ceil(enough), differing: 0.1, difference: 0 }, 2_000)
    const worse = shares({ items: Math.ceil(enough), differing: 0.1, difference: -0.02 }, 2_000)
    expect(equal['worse']).toBeLessThanOrEqual(0.06)
    expect(equal['as-good']).toBeGreaterThanOrEqual(0.93)
    expect(worse['as-good']).toBeLessThanOrEqual(0.06)
    expect(worse['worse']).toBeGreaterThanOrEqual(0.93)
  })

  test('of too few items says that it does not know, and errs no more often', () => {
    const equal = shares({ items: 200, differing: 0.1, difference: 0 }, 2_000)
    const worse = shares({ items: 200, differing: 0.1, difference: -0.02 }, 2_000)
    expect(equal['undecided']).toBeGreaterThan(0.6)
    expect(Math.max(equal['worse'] ?? 1, worse['as-good'] ?? 1)).toBeLessThanOrEqual(0.06)
  })

  test('gives bounds that the counts contradict by just the level, by a likelihood maximised without the formula', () => {
    const counts = { items: 44, won: 8, lost: 3 }
    const scores = [
      ...Array.from({ length: counts.won }, () => ({ before: 0, after: 1 })),
      ...Array.from({ length: counts.lost }, () => ({ before: 1, after: 0 })),
      ...Array.from({ length: counts.items - counts.won - counts.lost }, () => ({ before: 1, after: 1 })),
    ]
    const { low, high } = differenceBounds(pairedDifference(scores), { below: 0.025, above: 0.025 })
    expect(scoreByLikelihood(counts, low)).toBeCloseTo(1.96, 2)
    expect(scoreByLikelihood(counts, high)).toBeCloseTo(-1.96, 2)
  })

  test('rules nothing out where no item differs among a few', () => {
    const same = Array.from({ length: 20 }, () => ({ before: 1, after: 1 }))
    expect(judgeDifference(pairedDifference(same), RULE).verdict).toBe('undecided')
    expect(judgeDifference(pairedDifference(Array.from({ length: 400 }, () => same[0] as PairedScore)), RULE).verdict).toBe('as-good')
  })

  test('counts items that go right and wrong together as fewer', () => {
    const random = draws(5)
    const scores = drawScores({ items: 500, differing: 0.2, difference: 0 }, random)
    const alone = pairedDifference(scores.map(({ before, after }) => ({ before: before * 0.9, after: after * 0.9 })))
    const tenfold = scores.slice(0, 50).flatMap((own, index) => Array.from({ length: 10 }, () => ({ ...own, cluster: `text ${index}` })))
    const together = pairedDifference(tenfold)
    expect(together.units).toBe(50)
    expect(together.variance / alone.variance).toBeGreaterThan(5)
  })

  property.prop([fc.integer({ min: 2, max: 400 }), fc.double({ min: 0, max: 1, noNaN: true }), fc.integer()])(
    'mirrors its bounds when the models change places, and holds what was seen between them',
    (items, differing, seed) => {
      const scores = drawScores({ items, differing, difference: 0 }, draws(seed))
      const there = pairedDifference(scores)
      const back = pairedDifference(scores.map(({ before, after }) => ({ before: after, after: before })))
      const level = { below: 0.05, above: 0.05 }
      const bounds = differenceBounds(there, level)
      expect(bounds.low).toBeCloseTo(-differenceBounds(back, level).high, 9)
      expect(bounds.low - 1e-9).toBeLessThanOrEqual(there.mean)
      expect(bounds.high + 1e-9).toBeGreaterThanOrEqual(there.mean)
    },
  )

  test('of slices refuses when one is worse, and divides what may be refused in error among them', () => {
    const random = draws(9)
    const slices = new Map([
      ['en', pairedDifference(drawScores({ items: 4_000, differing: 0.1, difference: 0.005 }, random))],
      ['de', pairedDifference(drawScores({ items: 4_000, differing: 0.1, difference: -0.06 }, random))],
    ])
    const judged = judgeSlices(slices, RULE)
    expect([...judged.values()].map(({ verdict }) => verdict)).toEqual(['as-good', 'worse'])
    expect(verdictOfAll(judged.values())).toBe('worse')
    expect(judged.get('de')?.bounds.high).toBeGreaterThan(judgeDifference(slices.get('de') as never, RULE).bounds.high)
  })
})

describe('the chances of verdicts', () => {
  test.each([
    { items: 200, differing: 0.1, difference: 0 },
    { items: 1_000, differing: 0.1, difference: -0.02 },
    { items: 2_000, differing: 0.05, difference: -0.01 },
  ])('said beforehand are those that come: %o', (drawn) => {
    const said = verdictChances(drawn, RULE)
    const came = shares(drawn, 2_000)
    for (const verdict of ['as-good', 'worse', 'undecided'] as const)
      expect(Math.abs(said[verdict] - (came[verdict] ?? 0))).toBeLessThan(0.03)
    expect(said['as-good'] + said.worse + said.undecided).toBeCloseTo(1, 9)
  })
})

describe('an evaluation in stages', () => {
  property.prop([fc.integer(), fc.constantFrom(0.01, 0.05, 0.2)], { numRuns: 4 })(
    'spends of a risk what Lan and DeMets let it spend by each stage, over random walks',
    (seed, risk) => {
      const random = draws(seed)
      const bounds = stageLevels(risk).map((level) => normalQuantile(1 - level))
      const walks = 20_000
      const crossed = bounds.map(() => 0)
      for (let walk = 0; walk < walks; walk += 1) {
        const at = firstCrossing(bounds, random)
        if (at !== undefined) crossed[at] = (crossed[at] ?? 0) + 1
      }
      let sum = 0
      for (const [index, count] of crossed.entries()) {
        sum += count
        const spent = spentRisk((index + 1) / STAGES, risk)
        expect(Math.abs(sum / walks - spent)).toBeLessThan(5 * Math.sqrt(spent / walks) + 1 / walks)
      }
    },
  )

  // Of 300, a share of 5 % lies below 10 % in all but one of ten thousand runs.
  property.prop([fc.integer(), fc.constantFrom(0, -0.02), fc.constantFrom(0.05, 0.1, 0.2)], { numRuns: 3 })(
    'errs in no more than 5 % and stops early',
    (seed, difference, differing) => {
      const random = draws(seed)
      const times = 300
      const items = Math.ceil(fixedInformation(RULE) * differing)
      let [erred, asked] = [0, 0]
      for (let time = 0; time < times; time += 1) {
        const ended = endOf(drawScores({ items, differing, difference }, random))
        if (ended.verdict === (difference === 0 ? 'worse' : 'as-good')) erred += 1
        asked += ended.asked / items / times
      }
      expect(erred / times).toBeLessThanOrEqual(0.1)
      expect(asked).toBeLessThan(0.72)
    },
  )

  test('does not judge while too few items differ, however sure their variance seems', () => {
    const scores = Array.from({ length: 600 }, (_, index) => ({ before: 0.5, after: index < 9 ? 0.51 : 0.5 }))
    expect(stageJudge(RULE, STAGES - 1)(pairedDifference(scores)).verdict).toBe('undecided')
    expect(stageJudge(RULE, STAGES)(pairedDifference(scores)).verdict).toBe('as-good')
  })
})

/** The first stage at which a walk lies above its bound. */
function firstCrossing(bounds: readonly number[], random: () => number): number | undefined {
  let sum = 0
  for (const [index, bound] of bounds.entries()) {
    sum += normalQuantile(random())
    if (sum > bound * Math.sqrt(index + 1)) return index
  }
  return undefined
}

function endOf(scores: readonly PairedScore[]): { readonly verdict: string; readonly asked: number } {
  for (const [index, asked] of stageItems(scores.length).entries()) {
    const { verdict } = stageJudge(RULE, index + 1)(pairedDifference(scores.slice(0, asked)))
    if (verdict !== 'undecided') return { verdict, asked }
  }
  return { verdict: 'undecided', asked: scores.length }
}
