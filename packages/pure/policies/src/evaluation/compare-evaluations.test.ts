import type { Instrument } from '@ironlaw/contracts/evaluation'
import type { ItemResult } from '@ironlaw/contracts/evaluation-items'
import { describe, expect, test } from 'vitest'
import { compareResults, instrumentDifferences } from './compare-evaluations.ts'
import { meanScore, metricIntervals } from './scoring/metric-intervals.ts'
import { differingShare } from './scoring/result-parts.ts'

const RULE = { margin: 0.02, risk: { falseBlock: 0.05, miss: 0.05 }, looks: 1, slices: [] }

const result = (index: number, score: number, slices?: Record<string, string>): ItemResult => ({
  id: `i${index}`,
  score,
  values: { accuracy: score, exact_match: score },
  tokens_in: 1,
  tokens_out: 1,
  ms: 1,
  output_digest: '0'.repeat(64),
  ...(slices && { slices }),
})

/** Of `items` the first `lost` were right before and the last `won` after. */
function pairs(items: number, lost: number, won: number) {
  const before = Array.from({ length: items }, (_, index) => result(index, Number(index < items - won)))
  const after = Array.from({ length: items }, (_, index) => result(index, Number(index >= lost)))
  return { before, after }
}

describe('verdicts', () => {
  test.each([
    ['identical answers', 1000, 0, 0, 'as-good'],
    ['as many won as lost, enough items', 4000, 100, 100, 'as-good'],
    ['as many won as lost, too few items', 400, 20, 20, 'undecided'],
    ['far more lost', 1000, 100, 20, 'worse'],
    ['far more won', 1000, 20, 100, 'better'],
    ['surely worse by less than the margin', 20_000, 300, 200, 'as-good'],
    ['no items', 0, 0, 0, 'undecided'],
  ] as const)('%s', (_, items, lost, won, verdict) => {
    const { before, after } = pairs(items, lost, won)
    expect(compareResults(before, after, RULE).verdict).toBe(verdict)
  })

  test('more looks ask for more', () => {
    const { before, after } = pairs(1500, 60, 60)
    const [once, often] = [1, 20].map((looks) => compareResults(before, after, { ...RULE, looks }))
    expect(once?.verdict).toBe('as-good')
    expect(often?.verdict).toBe('undecided')
    expect(often?.parts[0]?.smallestDrop).toBeGreaterThan(1.6 * (once?.parts[0]?.smallestDrop ?? 0))
  })

  test('one slice that is worse suffices, and its level is corrected for their number', () => {
    const items = 5000
    const before = Array.from({ length: items }, (_, index) => result(index, 1, { language: index < 500 ? 'de' : 'en' }))
    const withLosses = (lost: number) =>
      compareResults(
        before,
        before.map((each, index) => ({ ...each, score: Number(index >= lost) })),
        { ...RULE, slices: ['language'] },
      )
    const worse = withLosses(30)
    expect(worse.parts.map(({ value, verdict }) => [value, verdict])).toEqual([
      [undefined, 'as-good'],
      ['de', 'worse'],
      ['en', 'as-good'],
    ])
    expect(worse.verdict).toBe('worse')
    expect(withLosses(0).verdict).toBe('as-good')
  })
})

const INSTRUMENT: Instrument = {
  engine: 'vllm',
  version: '1.0',
  template: 'none',
  sampling: { temperature: 0, top_p: 1, seed: 1 },
  task: 'answer',
  metric: 'exact_match',
  scoring: 1,
}

test('instruments that differ are told by the paths of what does', () => {
  expect(instrumentDifferences(INSTRUMENT, INSTRUMENT)).toEqual([])
  const other = { ...INSTRUMENT, quantization: 'q4', version: '1.1', sampling: { ...INSTRUMENT.sampling, temperature: 0.7 } }
  expect(instrumentDifferences(INSTRUMENT, other)).toEqual([
    { field: 'version', before: '1.0', after: '1.1' },
    { field: 'sampling.temperature', before: '0', after: '0.7' },
    { field: 'quantization', before: 'not said', after: 'q4' },
  ])
})

describe('intervals', () => {
  test('shares of right answers are those of Wilson: 8 of 10 at 90 %', () => {
    const { value, low, high } = meanScore(Array.from({ length: 10 }, (_, index) => result(index, Number(index < 8))))
    expect([value, low, high].map((each) => each.toFixed(4))).toEqual(['0.8000', '0.5408', '0.9314'])
  })

  test('all right is not certain', () => {
    const { low, high } = meanScore(Array.from({ length: 20 }, (_, index) => result(index, 1)))
    expect(low).toBeCloseTo(20 / (20 + 1.6449 ** 2), 3)
    expect(high).toBeCloseTo(1, 12)
  })

  test('items that go together widen the interval', () => {
    const apart = Array.from({ length: 400 }, (_, index) => result(index, Number(index % 20 < 10)))
    const together = apart.map((each, index) => ({ ...each, cluster: `c${Math.floor(index / 10)}` }))
    const width = (scores: Parameters<typeof meanScore>[0]): number => meanScore(scores).high - meanScore(scores).low
    expect(width(together) / width(apart)).toBeGreaterThan(2.5)
  })

  test('perplexity has an interval that holds it', () => {
    const scores = Array.from({ length: 100 }, (_, index) => ({ score: 1, values: { accuracy: 1, log_likelihood: -1 - (index % 5) } }))
    const { perplexity } = metricIntervals('continuation', scores)
    expect(perplexity?.value).toBeCloseTo(Math.exp(3), 10)
    expect(perplexity?.low).toBeLessThan(Math.exp(3) - 2)
    expect(perplexity?.high).toBeGreaterThan(Math.exp(3) + 2)
  })
})

test('repeats differ by the mean share over all pairs', () => {
  const scores = (...all: number[]) => all.map((score, index) => result(index, score))
  expect(differingShare([scores(1, 0, 1, 0)])).toBeUndefined()
  expect(differingShare([scores(1, 0, 1, 0), scores(1, 0, 1, 1), scores(1, 0, 1, 1)])).toBeCloseTo((0.25 + 0.25 + 0) / 3, 12)
})
