import { fc, test as property } from '@fast-check/vitest'
import { MOST_FEATURES, MOST_WORDS, PROFILE, type Profile } from '@ironlaw/contracts/profile'
import { expect, test } from 'vitest'
import {
  binOf,
  countedIn,
  discloseProfile,
  LEAST_ROWS,
  LEAST_SHOWN,
  mergeProfiles,
  type PackedProfile,
  packProfile,
  summaryOf,
  ProfileCounter,
  ProfileSum,
  valueOf,
} from './index.ts'

type Row = { readonly feature: string; readonly value: number | string }

const rows = fc.array(
  fc.oneof(
    fc.record({ feature: fc.constantFrom('length', 'score'), value: fc.double({ noNaN: true }) }),
    fc.record({ feature: fc.constantFrom('ending', 'script'), value: fc.constantFrom('stop', 'length', 'latin', 'constructor', 'other') }),
  ),
  { maxLength: 200 },
)

function profileOf(counted: readonly Row[]) {
  const counter = new ProfileCounter()
  for (const { feature, value } of counted) {
    counter.rows += 1
    if (typeof value === 'number') counter.countNumber(feature, value)
    else counter.countWord(feature, value)
  }
  return counter.profile()
}

/** As hours are merged to days: what was stored is read, added to and stored again. */
const mergedInTurn = (first: PackedProfile, rest: readonly Profile[]): ProfileSum => {
  const stored = rest.reduce((before, part) => {
    const next = sumOf(packProfile(part))
    next.addSum(sumOf(before))
    return next.packed()
  }, first)
  return sumOf(stored)
}

function sumOf(packed: PackedProfile): ProfileSum {
  const sum = new ProfileSum()
  sum.add(structuredClone(packed))
  return sum
}

property.prop([rows, fc.array(fc.nat({ max: 200 }), { maxLength: 4 })])(
  'divided among gateways and put together in any order, a profile is that of all rows',
  (all, cuts) => {
    const at = [0, ...cuts.map((cut) => Math.min(cut, all.length)).toSorted((a, b) => a - b), all.length]
    const parts = at.slice(1).map((end, index) => profileOf(all.slice(at[index], end)))
    expect(mergeProfiles(parts)).toEqual(profileOf(all))
    expect(mergeProfiles(parts.toReversed())).toEqual(profileOf(all))
    expect(mergeProfiles([mergeProfiles(parts.slice(0, 2)), ...parts.slice(2)])).toEqual(profileOf(all))
    const [first = profileOf([]), ...rest] = parts
    const stored = mergedInTurn(packProfile(first), rest)
    expect(stored.profile()).toEqual(profileOf(all))
    expect(PROFILE.parse(profileOf(all))).toEqual(profileOf(all))
  },
)

property.prop([fc.double({ noNaN: true, min: -1e12, max: 1e12 })])('a bin is within 0.4 % of what is counted in it', (value) => {
  const bin = binOf(value) as number
  if (Math.abs(value) < 1e-9) expect(bin).toBe(0)
  else expect(Math.abs(valueOf(bin) / value - 1)).toBeLessThan(0.004)
})

test('numbers beyond the range are in its last bins, and what is no number in none', () => {
  expect([Infinity, 1e300].map(binOf)).toEqual([binOf(1e12), binOf(1e12)])
  expect([-Infinity, -1e300].map(binOf)).toEqual([binOf(-1e12), binOf(-1e12)])
  expect(binOf(Number.NaN)).toBeUndefined()
})

test('one name counted in two ways: the numbers count, whichever comes first', () => {
  const words = profileOf([{ feature: 'length', value: 'stop' }])
  const numbers = profileOf([{ feature: 'length', value: 3 }])
  expect(mergeProfiles([words, numbers]).features).toEqual(numbers.features)
  expect(mergeProfiles([numbers, words, words]).features).toEqual(numbers.features)
})

test('words beyond the most are counted together', () => {
  const all = profileOf(Array.from({ length: 3 * MOST_WORDS }, (_, index) => ({ feature: 'topic', value: `#${index}` })))
  expect(all.features['topic']).toMatchObject({ counts: { '#0': 1, '#63': 1, other: 2 * MOST_WORDS } })
  expect(PROFILE.safeParse(all).success).toBe(true)
})

property.prop([rows])('what is shown was counted often enough, and all of it is there', (all) => {
  const profile = profileOf(all)
  const shown = discloseProfile(profile)
  expect(shown === undefined).toBe(all.length < LEAST_ROWS)
  if (!shown) return
  for (const [feature, sketch] of Object.entries(profile.features)) {
    const own = shown.features[feature]
    if (countedIn(sketch) < LEAST_SHOWN) {
      expect(own).toBeUndefined()
      continue
    }
    if (!own) throw new Error(`${feature} is not shown`)
    expect(countedIn(own)).toBe(countedIn(sketch))
    for (const count of Object.values(own.kind === 'numbers' ? own.bins : own.counts)) expect(count).toBeGreaterThanOrEqual(LEAST_SHOWN)
  }
})

property.prop([
  fc.array(fc.double({ noNaN: true, min: -1e12, max: 1e12 }), { minLength: 1, maxLength: 300 }),
  fc.double({ noNaN: true, min: 0, max: 1 }),
])('a percentile is the number of that rank, within the width of a bin', (values, share) => {
  const sketch = profileOf(values.map((value) => ({ feature: 'length', value }))).features['length']
  if (sketch?.kind !== 'numbers') throw new Error('no numbers')
  const exact = values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * values.length)) - 1] ?? Number.NaN
  const found = summaryOf(sketch.bins).quantile(share)
  if (Math.abs(exact) < 1e-9) expect(found).toBe(0)
  else expect(Math.abs(found / exact - 1)).toBeLessThan(1 / 128)
})

const wordsOf = (first: number, count: number): Row[] =>
  Array.from({ length: 10 * count }, (_, index) => ({ feature: 'topic', value: `#${first + (index % count)}` }))

test('more words and features than one may have: sums stay exact in any order, and what is shown is a profile', () => {
  const parts = Array.from({ length: 30 }, (_, part) => profileOf([...wordsOf(50 * part, 50), { feature: `f${part}`, value: 1 }]))
  const wide = Array.from({ length: 3 }, (_, part) => ({
    rows: 1,
    features: Object.fromEntries(
      Array.from({ length: MOST_FEATURES }, (_unused, index) => [
        `g${(index * 3 + part) % 900}`,
        { kind: 'numbers' as const, bins: { '1': 1 } },
      ]),
    ),
  }))
  const all = mergeProfiles([...parts, ...wide])
  expect(Object.keys(all.features)).toHaveLength(MOST_FEATURES)
  const topic = mergeProfiles(parts).features['topic'] ?? expect.unreachable()
  expect(countedIn(topic)).toBe(30 * 500)
  expect(mergeProfiles([...wide.toReversed(), mergeProfiles(parts.slice(20)), mergeProfiles(parts.slice(0, 20).toReversed())])).toEqual(all)
  const shown = discloseProfile(mergeProfiles(parts))
  expect(PROFILE.safeParse(shown).success).toBe(true)
  expect(countedIn(shown?.features['topic'] ?? expect.unreachable())).toBe(30 * 500)
})
