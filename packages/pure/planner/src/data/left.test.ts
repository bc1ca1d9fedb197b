import { DATA_PROBE } from '@ironlaw/contracts/data-probe'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { leftByStep } from './left.ts'
import { type CorpusShape, simulatedProbe } from './simulated-corpus.fixture.ts'

const CORPORA = 300

type Coverage = { covered: number; bias: number; width: number }

/** How often the interval of what is left holds the truth, over corpora that differ in everything random. */
function coverage(shape: Omit<CorpusShape, 'seed'>): Readonly<Record<'tokens' | 'documents', Coverage>> {
  const found = { tokens: { covered: 0, bias: 0, width: 0 }, documents: { covered: 0, bias: 0, width: 0 } }
  for (let seed = 1; seed <= CORPORA; seed += 1) {
    const { probe, truth } = simulatedProbe({ ...shape, seed: 7919 * seed })
    const last = leftByStep(probe).at(-1)
    for (const measure of ['tokens', 'documents'] as const) {
      const { value, low, high } = last?.[measure] ?? { value: 0, low: 0, high: 0 }
      const sums = found[measure]
      sums.covered += truth[measure] >= low && truth[measure] <= high ? 1 / CORPORA : 0
      sums.bias += (value / truth[measure] - 1) / CORPORA
      sums.width += (high - low) / truth[measure] / CORPORA
    }
  }
  return found
}

describe('90 % intervals hold the truth in 85 to 95 % of simulated corpora, without bias', () => {
  test.each([
    ['copies, zipf', { sizes: 'zipf', similarity: 1, groups: 2500, share: 0.15, heavy: 50 }],
    ['near-duplicates, lognormal', { sizes: 'lognormal', similarity: 0.8, groups: 2500, share: 0.2, heavy: 40 }],
    ['near-duplicates, zipf', { sizes: 'zipf', similarity: 0.8, groups: 2500, share: 0.15, heavy: 25 }],
    ['near-duplicates, half of them read', { sizes: 'zipf', similarity: 0.8, groups: 1000, share: 0.5, heavy: 15 }],
    ['no duplicates', { sizes: 'single', similarity: 1, groups: 1500, share: 0.2, heavy: 20 }],
  ] as const)('%s', (_, shape) => {
    for (const { covered, bias, width } of Object.values(coverage(shape))) {
      expect(covered).toBeGreaterThanOrEqual(0.85)
      expect(covered).toBeLessThanOrEqual(0.95)
      expect(Math.abs(bias)).toBeLessThan(0.01)
      expect(width).toBeLessThan(0.4)
    }
  })
})

test('a sample of everything is exact', () => {
  const { probe, truth } = simulatedProbe({ seed: 3, groups: 500, sizes: 'zipf', similarity: 1, share: 1, heavy: 5 })
  const last = leftByStep(probe).at(-1)
  expect(last?.documents.value).toBeCloseTo(truth.documents, 6)
  expect(last?.tokens?.value).toBeCloseTo(truth.tokens, 3)
  expect(last?.tokens?.low).toBeCloseTo(last?.tokens?.high ?? 0, 3)
})

test('a sample in which nothing is lost does not promise that nothing will be', () => {
  const { probe } = simulatedProbe({ seed: 4, groups: 1000, sizes: 'single', similarity: 1, share: 0.1, heavy: 0 })
  const [step] = probe.steps
  if (!step) throw new Error('no step')
  const { sum, squares } = probe.sample.documents
  const all = { ...probe, steps: [{ ...step, left: { ...step.left, documents: { sum, squares, products: squares } } }] }
  const kept = leftByStep(all)[0]?.documents
  expect(kept?.value).toBe(1000)
  expect(kept?.low).toBeLessThan(1000)
  expect(kept?.low).toBeGreaterThan(950)
  expect(kept?.high).toBe(1000)
})

test('a sample without clusters leaves everything open', () => {
  const { probe } = simulatedProbe({ seed: 5, groups: 20, sizes: 'single', similarity: 1, share: 0.001, heavy: 2 })
  expect(probe.sample.clusters).toBe(0)
  const kept = leftByStep(probe)[0]?.documents
  expect(kept?.low).toBe(probe.steps[0]?.heavy.documents)
  expect(kept?.high).toBeGreaterThanOrEqual(18)
})

test('a simulated probe is a probe', () => {
  const { probe } = simulatedProbe({ seed: 6, groups: 200, sizes: 'lognormal', similarity: 0.9, share: 0.2, heavy: 3 })
  expect(DATA_PROBE.safeParse(probe).error).toBeUndefined()
})

property.prop([fc.integer({ min: 1, max: 1e6 }), fc.constantFrom('zipf', 'lognormal', 'single')], { numRuns: 30 })(
  'intervals hold their value, never go below what was counted, and steps leave no more than they get',
  (seed, sizes) => {
    const { probe } = simulatedProbe({ seed, groups: 300, sizes, similarity: 1, share: 0.2, heavy: 5 })
    const left = leftByStep(probe)
    for (const [index, { documents, bytes }] of left.entries()) {
      for (const { value, low, high } of [documents, bytes]) {
        expect(low).toBeLessThanOrEqual(value)
        expect(high).toBeGreaterThanOrEqual(value)
      }
      expect(documents.low).toBeGreaterThanOrEqual(probe.steps[index]?.heavy.documents ?? 0)
      expect(documents.high).toBeLessThanOrEqual(probe.corpus.documents)
    }
  },
)
