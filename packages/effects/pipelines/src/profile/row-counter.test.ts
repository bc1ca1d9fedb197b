import { fc, test as property } from '@fast-check/vitest'
import { MOST_FEATURES, PROFILE } from '@ironlaw/contracts/profile'
import { mergeProfiles } from '@ironlaw/policies/profile'
import { expect, test } from 'vitest'
import type { Fields } from '../unit.ts'
import { dateWords } from './date-words.ts'
import { featureName } from './feature-name.ts'
import { RowCounter } from './row-counter.ts'

function profileOf(rows: readonly Fields[], columns?: readonly string[]) {
  const counter = new RowCounter(columns)
  for (const row of rows) counter.countRow(row)
  expect(counter.beyond).toBeUndefined()
  return counter.profile()
}

const featuresOf = (...values: readonly unknown[]) => profileOf(values.map((x) => ({ x }))).features

const value = fc.oneof(
  { maxDepth: 4 },
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, '2024-02-29', '1970-01-01T00:00:00Z', '2024-02-30', '1152921504606846976', '__proto__', ''),
  fc.string({ maxLength: 80, unit: 'grapheme' }),
  fc.array(fc.double(), { maxLength: 20 }),
  fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 8, maxLength: 20 }),
  fc.array(fc.string(), { maxLength: 3 }),
)
const nested = fc.oneof(value, fc.dictionary(fc.constantFrom('word', 'length', 'a', 'a-1', 'year'), value, { maxKeys: 3 }))
const row = fc.dictionary(fc.constantFrom('x', 'x-1', 'x.length', 'x.word', 'constructor', '__proto__', 'née', 'n_e', 'present'), nested)

property.prop([fc.array(row, { maxLength: 40 }), fc.array(fc.nat({ max: 40 }), { maxLength: 4 })])(
  'however rows are divided and whatever their order, the parts add up to the profile of all',
  (rows, cuts) => {
    const at = [0, ...cuts.map((cut) => Math.min(cut, rows.length)).toSorted((a, b) => a - b), rows.length]
    const parts = at.slice(1).map((end, index) => profileOf(rows.slice(at[index], end)))
    const whole = profileOf(rows)
    expect(mergeProfiles(parts)).toEqual(whole)
    expect(mergeProfiles(parts.toReversed())).toEqual(whole)
    expect(profileOf(rows.toReversed())).toEqual(whole)
    expect(PROFILE.parse(whole)).toEqual(whole)
  },
)

const secret = fc.string({ minLength: 6, maxLength: 60, unit: fc.constantFrom(...'ABCDEFGHJKLMNOPQRSTUVWXYZÄÖß 世') })
property.prop([fc.array(fc.record({ name: secret, tags: fc.array(secret), at: fc.record({ street: secret }) }), { minLength: 1 })])(
  'no string of a row is in the profile',
  (rows) => {
    const text = JSON.stringify(profileOf(rows))
    for (const { name, tags, at } of rows) for (const each of [name, at.street, ...tags]) expect(text).not.toContain(each)
  },
)

test('each kind of value is counted under a name of its own', () => {
  expect(featuresOf(2, true, 'Berlin', '2024-05-01', '2024-05-01 09:30', [1, 2], { y: { z: 1 } })).toMatchObject({
    x: { kind: 'numbers' },
    'x.boolean': { counts: { true: 1 } },
    'x.word': { kind: 'words' },
    'x.length': { kind: 'numbers' },
    'x.year': { counts: { 2024: 2 } },
    'x.month': { counts: { '05': 2 } },
    'x.weekday': { counts: { wed: 2 } },
    'x.hour': { counts: { '09': 1 } },
    'x.items': { kind: 'numbers' },
    'x.y.z': { kind: 'numbers' },
    'x.present': { counts: { yes: 7 } },
  })
})

test('missing is null and what is no number; a text of more than 40 characters has a script and no bucket', () => {
  expect(featuresOf(null, Number.NaN, undefined)).toEqual({ 'x.present': { kind: 'words', counts: { no: 3 } } })
  expect(Object.keys(featuresOf('мир'.repeat(20)))).toEqual(['x.present', 'x.length', 'x.script'])
})

test('a word is the bucket of its SHA-256', () => {
  // The digest of "abc" begins with ba, FIPS 180-2, example B.1.
  expect(featuresOf('abc')['x.word']).toEqual({ kind: 'words', counts: { [`#${0xba % 64}`]: 1 } })
})

test('objects have names to three levels', () => {
  expect(Object.keys(featuresOf({ a: { b: { c: 1 } } }))).toEqual(['x.present', 'x.a.present', 'x.a.b.present'])
})

test('chosen columns count, with all below them, and nothing else is kept', () => {
  const rows = [{ user: { age: 3, name: 'A' }, city: 'B', ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`c${i}`, i])) }]
  expect(Object.keys(profileOf(rows, ['user.age', 'c7']).features)).toEqual(['user.age.present', 'user.age', 'c7.present', 'c7'])
})

test('with one feature too many it says at which column', () => {
  const counter = new RowCounter()
  counter.countRow(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`c${i}`, i])))
  expect(counter.beyond).toBe(`c${MOST_FEATURES / 2}`)
})

test.each([
  [['age'], 'age'],
  [['year'], 'year'],
  [['user', 'year'], /^user\.year_[0-9a-f]{8}$/],
  [['petal length'], /^petal_length_[0-9a-f]{8}$/],
  [['a.b'], /^a_b_[0-9a-f]{8}$/],
  [['x-1'], /^x-1_[0-9a-f]{8}$/],
  [['__proto__'], /^__proto___[0-9a-f]{8}$/],
  [[''], /^_[0-9a-f]{8}$/],
  [['-'], /^__[0-9a-f]{8}$/],
  [['x'.repeat(500), 'y'], /^x{81}_[0-9a-f]{8}$/],
])('the feature of %j is %s', (path, name) => expect(featureName(path)).toMatch(name))

test.each([
  ['2024-02-29', { year: '2024', month: '02', weekday: 'thu' }],
  ['2024-05-01T23:59:59.123456789+02:00', { year: '2024', month: '05', weekday: 'wed', hour: '23' }],
  ['1066-10-14', { year: 'earlier', month: '10', weekday: 'sun' }],
  ['2099-12-31', { year: 'later', month: '12', weekday: 'thu' }],
  ['2023-02-29', undefined],
  ['2024-05-01T24:00', undefined],
  ['2024-05-01 and later', undefined],
  ['20240501', undefined],
])('%s as a date', (text, words) => expect(dateWords(text)).toEqual(words))
