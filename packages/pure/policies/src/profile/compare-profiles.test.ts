import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { compareProfiles, discloseProfile, ProfileCounter, rowsPresent, summaryOf } from './index.ts'

type Row = Readonly<Record<string, number | string>>

function profileOf(rows: readonly Row[]) {
  const counter = new ProfileCounter()
  for (const row of rows) {
    counter.rows += 1
    for (const [feature, value] of Object.entries(row))
      if (typeof value === 'number') counter.countNumber(feature, value)
      else counter.countWord(feature, value)
  }
  return counter.profile()
}

const numbersOf = (values: readonly number[]) => profileOf(values.map((size) => ({ size })))

function comparedNumbers(one: readonly number[], other: readonly number[]) {
  const [apart] = compareProfiles(numbersOf(one), numbersOf(other)).features
  if (apart?.kind !== 'numbers') throw new Error('no numbers')
  return apart
}

const share = (values: readonly number[], limit: number): number => values.filter((value) => value <= limit).length / values.length
const exactMean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const numbers = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 200 })

property.prop([numbers, fc.double({ min: 0.01, max: 1, noNaN: true })])(
  'mean and percentiles are those of the numbers, to a bin',
  (values, at) => {
    const sketch = numbersOf(values).features['size']
    if (sketch?.kind !== 'numbers') throw new Error('no numbers')
    const { mean, quantile, counted } = summaryOf(sketch.bins)
    const sizes = exactMean(values.map(Math.abs))
    expect(counted).toBe(values.length)
    expect(Math.abs(mean - exactMean(values))).toBeLessThanOrEqual(0.004 * sizes + 1e-9)
    const exact = values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(at * values.length)) - 1] as number
    expect(Math.abs(quantile(at) - exact)).toBeLessThanOrEqual(0.004 * Math.abs(exact) + 1e-9)
  },
)

property.prop([numbers, numbers])('KS is that of the numbers, to the rows that share a bin', (one, other) => {
  const { ks } = comparedNumbers(one, other)
  const exact = Math.max(...[...one, ...other].map((limit) => Math.abs(share(one, limit) - share(other, limit))))
  const widest = [one, other].map((values) => {
    const sketch = numbersOf(values).features['size']
    return sketch?.kind === 'numbers' ? Math.max(...Object.values(sketch.bins)) / values.length : 0
  })
  expect(ks).toBeLessThanOrEqual(exact + 1e-9)
  expect(ks).toBeGreaterThanOrEqual(exact - Math.max(...widest) - 1e-9)
})

property.prop([numbers])('a profile is no distance from itself', (values) => {
  const { ks, psi = 0, mean_shift: shift = 0, beyond_chance: beyond } = comparedNumbers(values, values)
  expect([ks, psi, shift, beyond]).toEqual([0, 0, 0, false])
})

/** A linear congruential generator: the same draws on every run. */
function draws(seed: number): () => number {
  let state = seed
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
}

test('rows of one source: PSI and JS are what chance gives, and one comparison in twenty is beyond its limit, also of what is disclosed', () => {
  const random = draws(7)
  const rows = (n: number): Row[] =>
    Array.from({ length: n }, () => ({ size: Math.exp(2 * random() + random()), word: `#${Math.floor(12 * random() ** 2)}` }))
  const trials = Array.from({ length: 300 }, () => [profileOf(rows(500)), profileOf(rows(400))] as const)
  const disclosed = trials.map(([one, other]) => [discloseProfile(one) ?? one, discloseProfile(other) ?? other] as const)
  for (const pairs of [trials, disclosed]) {
    const apart = pairs.map(([one, other]) => compareProfiles(one, other).features)
    const all = apart.flat()
    const found = all.filter((each) => each.kind === 'numbers')
    const words = all.filter((each) => each.kind === 'words')
    expect(exactMean(found.map(({ psi = 0 }) => psi)) / exactMean(found.map(({ psi_by_chance: chance = 1 }) => chance))).toBeCloseTo(1, 0.7)
    expect(exactMean(words.map(({ js_nats: js }) => js)) / exactMean(words.map((each) => each.js_by_chance_nats))).toBeCloseTo(1, 0.7)
    expect(apart.filter((each) => each.some(({ beyond_chance: beyond }) => beyond)).length / apart.length).toBeLessThan(0.08)
  }
})

test('a shift of half a deviation is beyond chance, with its size', () => {
  const random = draws(11)
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const one = Array.from({ length: 2000 }, () => 100 + 10 * normal())
  const apart = comparedNumbers(
    one,
    one.map((value) => value + 5),
  )
  expect(apart.beyond_chance).toBe(true)
  expect(apart.mean_shift).toBeCloseTo(0.5, 1)
  // Of two normals half a deviation apart: 2 F(1/4) - 1, and (1/2)^2.
  expect(apart.ks).toBeCloseTo(0.197, 1)
  expect(apart.psi).toBeCloseTo(0.25, 1)
})

test('a column that is missing more often is apart by the rows without it', () => {
  const rows = (present: number): Row[] => Array.from({ length: 1000 }, (_, index) => (index < present ? { 'age.present': 'yes' } : {}))
  expect(compareProfiles(profileOf(rows(990)), profileOf(rows(900))).features).toMatchObject([
    { feature: 'age.present', beyond_chance: true, largest_change: { word: 'no', before: 0.01, after: 0.1 } },
  ])
})

test('where fewer than five rows miss a column, or have it, a disclosed profile still says which', () => {
  const rows = (present: number): Row[] =>
    Array.from({ length: 400 }, (_, index) => (index < present ? { age: 40, 'age.present': 'yes' } : { 'age.present': 'no' }))
  const disclosed = (present: number) => discloseProfile(profileOf(rows(present))) ?? profileOf([])
  expect(disclosed(397).features['age.present']).toEqual(disclosed(3).features['age.present'])
  const [few, many] = [disclosed(397), disclosed(3)]
  expect(rowsPresent(few.features, 'age.present')).toBe(400)
  expect(rowsPresent(many.features, 'age.present')).toBe(0)
  const present = compareProfiles(few, many).features.find(({ feature }) => feature === 'age.present')
  expect(present).toMatchObject({ beyond_chance: true, largest_change: { word: 'yes', before: 1, after: 0 } })
})

test('words that only one profile is too small to show are no difference', () => {
  const one = { rows: 100, features: { city: { kind: 'words' as const, counts: { '#1': 89, '#2': 6, other: 5 } } } }
  const other = { rows: 100, features: { city: { kind: 'words' as const, counts: { '#1': 89, other: 11 } } } }
  expect(compareProfiles(one, other).features).toMatchObject([{ js_nats: 0, beyond_chance: false }])
})

test('what one of them does not have, or counts in another way, is named', () => {
  const one = profileOf([{ size: 1, word: 'a' }])
  const other = profileOf([{ word: 2, constructor: 'b' }])
  expect(compareProfiles(one, other).not_compared).toEqual([
    { feature: 'size', only_in: 'before' },
    { feature: 'word', only_in: 'both, in two ways' },
    { feature: 'constructor', only_in: 'after' },
  ])
})
