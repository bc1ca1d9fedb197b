import { describe, expect, test } from 'vitest'
import { forecastEvaluation, probedPlaces } from './plan-evaluation.ts'

const RISK = { falseBlock: 0.05, miss: 0.2 }
const sizes = (count: number): number[] => Array.from({ length: count }, () => 100)
const question = (items: number, margin: number, differing: number) => ({
  sizes: sizes(items),
  repeats: 1,
  differing,
  rule: { margin, risk: RISK, looks: 1 },
})

describe('items needed for 80 % power at one-sided 5 %, paired', () => {
  test.each([
    [0.05, 0.2, 495],
    [0.05, 0.1, 248],
    [0.02, 0.1, 1546],
    [0.02, 0.02, 310],
    [0.01, 0.05, 3092],
  ])('margin %d, %d of the items differ: %d', (margin, differing, needed) => {
    const { items_needed, items_short, visible_drop } = forecastEvaluation(question(1000, margin, differing))
    expect(Math.abs(items_needed - needed)).toBeLessThanOrEqual(1)
    expect(items_short).toBe(Math.max(0, items_needed - 1000))
    expect(visible_drop <= margin).toBe(items_short === 0)
  })
})

test('with the items needed, each verdict comes as often as was asked for', () => {
  const rule = { margin: 0.02, risk: { falseBlock: 0.05, miss: 0.05 }, looks: 1 }
  const { items_needed } = forecastEvaluation({ ...question(1, 0.02, 0.1), rule })
  const { equal, worse } = forecastEvaluation({ ...question(items_needed, 0.02, 0.1), rule })
  expect(equal['as-good']).toBeGreaterThan(0.92)
  expect(equal.worse).toBeLessThan(0.055)
  expect(worse.worse).toBeGreaterThan(0.92)
  expect(worse['as-good']).toBeLessThan(0.055)
})

describe('where the run may stop', () => {
  const rule = { margin: 0.02, risk: { falseBlock: 0.05, miss: 0.05 }, looks: 1 }

  test('with the items needed, a third is saved of models that are equal or worse by the margin, as over drawn releases', () => {
    const { asked } = forecastEvaluation({ ...question(Math.ceil(27_055 * 0.1), 0.02, 0.1), rule })
    expect(asked.equal).toBeCloseTo(0.64, 1)
    expect(asked.worse).toBeCloseTo(asked.equal, 3)
  })

  test('with more items a smaller share is asked, with far too few all of them', () => {
    const askedOf = (items: number): number => forecastEvaluation({ ...question(items, 0.02, 0.1), rule }).asked.equal
    expect(askedOf(10_000)).toBeLessThan(0.45)
    expect(askedOf(200)).toBeGreaterThan(0.95)
  })
})

test('twenty looks ask for a drop 1.7 times as large: the quantile of 0.25 % instead of 5 %', () => {
  const rule = { margin: 0.02, risk: { falseBlock: 0.05, miss: 0.05 }, looks: 20 }
  expect(forecastEvaluation({ ...question(1000, 0.02, 0.1), rule }).looks_factor).toBeCloseTo(2.807 / 1.645, 2)
})

describe('time', () => {
  const probe = (items: readonly (readonly [number, number])[], time_s: number) => ({
    items: items.map(([size, ms]) => ({ size, ms, tokens_in: size / 4, tokens_out: 10 })),
    time_s,
  })

  test('items of one size take as many times as long as there are more of them', () => {
    const items = Array.from({ length: 20 }, () => [100, 50] as const)
    const { time_s, tokens_in, tokens_out } = forecastEvaluation({ ...question(1000, 0.05, 0.1), probe: probe(items, 2) })
    expect(time_s?.value).toBeCloseTo(100, 9)
    expect([tokens_in, tokens_out]).toEqual([25_000, 10_000])
    expect(time_s?.low).toBeLessThan(95)
    expect(time_s?.high).toBeGreaterThan(105)
  })

  test('a set of longer items takes longer by what the probe saw of length', () => {
    const items = Array.from({ length: 20 }, (_, index) => [100 * (index + 1), 10 + index + 1] as const)
    const long = forecastEvaluation({ ...question(1, 0.05, 0.1), sizes: Array.from({ length: 100 }, () => 2000), probe: probe(items, 1) })
    expect(long.time_s?.value).toBeCloseTo((100 * 30) / (20 * 20.5), 6)
  })

  test('repeats count', () => {
    const items = Array.from({ length: 20 }, () => [100, 50] as const)
    expect(forecastEvaluation({ ...question(20, 0.05, 0.1), repeats: 3, probe: probe(items, 2) }).time_s?.value).toBeCloseTo(6, 9)
  })
})

test('a probe takes items of all sizes, each once, in no order of size', () => {
  const all = Array.from({ length: 1000 }, (_, index) => (index * 37) % 1000)
  const places = probedPlaces(all, 35)
  expect(new Set(places).size).toBe(35)
  const chosen = places.map((place) => all[place] ?? 0)
  expect(chosen.reduce((sum, size) => sum + size, 0) / 35).toBeCloseTo(500, -1)
  expect(chosen).not.toEqual(chosen.toSorted((a, b) => a - b))
  expect(new Set(probedPlaces([5, 3], 35))).toEqual(new Set([0, 1]))
})
