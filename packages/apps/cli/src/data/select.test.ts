import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { selectAnswer, type SelectFlags } from './select.ts'

const directory = mkdtempSync(join(tmpdir(), 'select-'))
afterAll(() => rmSync(directory, { recursive: true }))
const DEFAULTS = { id: 'id', score: 'score', class: 'class' } as const

function file(name: string, lines: readonly (object | string)[]): string {
  const path = join(directory, name)
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  return path
}

const select = (path: string, flags: Partial<SelectFlags>) => selectAnswer(path, { ...DEFAULTS, keep: '50 %', ...flags })

/** 90 common documents with scores of 10 and more, 10 rare ones below. */
const POOL = Array.from({ length: 100 }, (_, i) => ({
  id: `d${i}`,
  score: i % 10 === 0 ? i / 100 : 10 + i,
  class: i % 10 === 0 ? 'rare' : 'common',
  text: `text ${i}`,
}))

test('a minimum keeps a class that scores would drop, and the answer says what they and a random draw would have kept', async () => {
  const { json, text } = await select(file('pool.jsonl', POOL), { keep: '20 %', perClass: '4' })
  expect(json).toMatchObject({
    pool: 100,
    kept: 20,
    below: 4,
    classes: [
      { class: 'common', pool: 90, kept: 16, by_score: 20, uniform: 18 },
      { class: 'rare', pool: 10, kept: 4, by_score: 0, uniform: 2 },
    ],
  })
  expect(text()).toContain('drawn at random, fewer than 4 would be kept of rare (2)')
})

test('kept records are written as they were, plain or compressed, in the order of the files', async () => {
  const path = file('copied.jsonl', POOL)
  const [plain, compressed] = [join(directory, 'kept.jsonl'), join(directory, 'kept.jsonl.zst')]
  await select(path, { keep: '3', to: plain })
  await select(path, { keep: '3', to: compressed })
  const lines = readFileSync(plain, 'utf8')
  expect(lines.trim().split('\n')).toEqual([97, 98, 99].map((i) => JSON.stringify(POOL[i])))
  expect(zstdDecompressSync(readFileSync(compressed)).toString()).toBe(lines)
})

test('the lowest scores are kept where they are the better ones, and the cut is in the scores of the file', async () => {
  const { json } = await select(file('perplexity.jsonl', POOL), { keep: '10', lowest: true })
  expect(json).toMatchObject({
    kept: 10,
    cut: 11,
    classes: [
      { class: 'common', kept: 0 },
      { class: 'rare', kept: 10 },
    ],
  })
})

test('rows of Parquet are selected by the fields that are named', async () => {
  const rows = join(import.meta.dirname, '../../../../effects/pipelines/src/read/fixtures/rows-zstd.parquet')
  const to = join(directory, 'rows.jsonl')
  const { json } = await select(rows, { keep: '4', class: 'dict', perClass: '2', to })
  expect(json).toMatchObject({
    pool: 10,
    kept: 4,
    classes: [
      { class: 'a', kept: 2 },
      { class: 'b', kept: 2 },
    ],
  })
  const kept = readFileSync(to, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: number }).id)
  expect(kept).toEqual([6, 7, 8, 9])
})

test('an earlier selection that shares less than nine tenths is stale', async () => {
  const path = file('later.jsonl', POOL)
  const before = file('earlier.jsonl', POOL.filter(({ class: name }) => name === 'common').slice(0, 50))
  expect((await select(path, { before })).json).toMatchObject({ before: { samples: 50, byChance: 0.5, isStale: true } })
  const same = file('same.jsonl', POOL.filter(({ score }) => score >= 10).slice(-50))
  expect((await select(path, { before: same })).json).toMatchObject({ before: { agreement: 1, isStale: false } })
})

describe('refuses, with file, record and field,', () => {
  test.each([
    [
      'a score that is no number',
      [
        { id: 'a', score: 1 },
        { id: 'b', score: 'high' },
      ],
      {},
      /record 2: field "score" is "high", not a number/,
    ],
    ['a record without an id', [{ score: 1, doc: 'x' }], {}, /record 1: field "id" is missing/],
    [
      'an id that is there twice',
      [
        { id: 'a', score: 1 },
        { id: 'a', score: 2 },
      ],
      {},
      /record 2: "a" has a score already, as record 1/,
    ],
    ['a line that is no JSON', [{ id: 'a', score: 1 }, '{"id": '], {}, /record 2: it is not JSON/],
    ['a missing class where minimums are asked for', [{ id: 'a', score: 1 }], { perClass: '1' }, /record 1: field "class" is missing/],
    ['a file without records', [], {}, /no records/],
    ['minimums that do not fit', POOL, { keep: '5', perClass: '4' }, /need 8 samples, but 5 are to be kept/],
    ['more than there are', POOL, { keep: '101' }, /there are 100 samples/],
    ['a part that is none', POOL, { keep: 'most' }, /neither a share/],
    ['a target that could not be read again', POOL, { to: 'kept.csv' }, /neither .jsonl nor/],
  ] as const)('%s', async (_, lines, flags, message) => {
    await expect(select(file('refused.jsonl', lines), flags)).rejects.toThrow(message)
  })

  test('names the fields that a record has', async () => {
    await expect(select(file('other.jsonl', [{ doc: 'x', quality: 1 }]), {})).rejects.toMatchObject({
      next: 'its fields are doc, quality; --id names another',
    })
  })

  test('a file that is not there, or of another kind', async () => {
    await expect(select(join(directory, 'absent.jsonl'), {})).rejects.toMatchObject({ code: 'IL_FILE' })
    await expect(select(file('scores.csv', ['id,score']), {})).rejects.toThrow(/neither JSON lines nor Parquet/)
  })
})
