import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalJson } from '@ironlaw/contracts'
import { afterAll, expect, test } from 'vitest'
import { diffProfileFiles } from './diff-profiles.ts'
import { profileAnswer } from './profile.ts'

const directory = mkdtempSync(join(tmpdir(), 'profile-'))
afterAll(() => rmSync(directory, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const ROWS = Array.from({ length: 200 }, (_, i) => ({ age: i % 10 === 0 ? null : 20 + (i % 50), city: i === 7 ? 'Atlantis' : 'Berlin' }))
const YOUNG = ROWS.map(({ age, city }) => ({ age: age === null ? null : age - 10, city }))

test('the answer is the disclosed profile, and so is the file, which is the same for the same rows in another order', async () => {
  const [one, other] = [join(directory, 'one.json'), join(directory, 'other.json')]
  const { json, text } = await profileAnswer([file('rows.jsonl', lines(ROWS))], { to: one })
  await profileAnswer([file('reversed.jsonl', lines(ROWS.toReversed()))], { to: other })
  expect(readFileSync(one, 'utf8')).toBe(canonicalJson(json as object as { [key: string]: string }))
  expect(readFileSync(other, 'utf8')).toBe(readFileSync(one, 'utf8'))
  expect(json).toMatchObject({ rows: 200, features: { 'age.present': { counts: { yes: 180, no: 20 } } } })
  // The one row with another city is not to be found.
  expect(Object.values((json as { features: Record<string, { counts?: object }> }).features['city.word']?.counts ?? {})).toEqual([200])
  expect(text()).toMatch(/age +180 +\d\d(?:\.\d)? +4\d/)
  expect(text()).toContain('missing: age 10 %')
})

test('columns are chosen; a few rows, an empty name and a file of another kind are refused', async () => {
  const path = file('chosen.jsonl', lines(ROWS))
  expect(Object.keys(((await profileAnswer([path], { columns: 'age' })).json as { features: object }).features)).toEqual([
    'age.present',
    'age',
  ])
  await expect(profileAnswer([path], { columns: 'age,' })).rejects.toThrow('--columns: "age," has an empty name')
  await expect(profileAnswer([path], { to: 'profile.yaml' })).rejects.toThrow('does not end in .json')
  await expect(profileAnswer([path], { to: join(directory, 'none', 'profile.json') })).rejects.toMatchObject({ code: 'IL_WRITE' })
  await expect(profileAnswer([file('few.jsonl', lines(ROWS.slice(0, 19)))], {})).rejects.toThrow(/19 rows.*fewer than 20/)
})

test('two profiles: what moved comes first and is named, what did not is not', async () => {
  const [before, after] = [join(directory, 'before.json'), join(directory, 'after.json')]
  await profileAnswer([file('old.jsonl', lines(ROWS))], { to: before })
  await profileAnswer([file('young.jsonl', lines(YOUNG))], { to: after })
  const { json, text } = diffProfileFiles(before, after)
  expect(json).toMatchObject({ rows: { before: 200, after: 200 }, not_compared: [] })
  expect(text()).toMatch(/^200 rows before, 200 rows after: 1 of \d features further apart than chance explains\n/)
  expect(text()).toMatch(/\nage +4\d\.\d +3\d\.\d +-0\.69 SD .*beyond chance\n/)
  expect(diffProfileFiles(before, before).text()).toContain('0 of ')
})

test.each([
  ['{"rows":1}', 'features: '],
  ['{"rows":20,"features":{"age":{"kind":"numbers","bins":{"x":1}}}}', 'features.age.bins'],
  ['{"rows":20,"features":{"city":{"kind":"words","counts":{"Berlin":6}}}}', 'features.city.counts'],
  ['{"rows":20,"features":{"city":{"kind":"words","counts":{"a":-6}}}}', 'features.city.counts.a'],
])('%s is refused as a profile, with the field', (text, field) => {
  const path = file('wrong.json', text)
  expect(() => diffProfileFiles(path, path)).toThrow(`${path}: ${field}`)
})
