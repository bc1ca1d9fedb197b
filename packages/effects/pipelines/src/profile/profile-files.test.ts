import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { recordsIn } from '../select/records.ts'
import { parquetOfDoubles } from './parquet-doubles.fixture.ts'
import { profileFiles } from './profile-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'profile-'))
afterAll(() => rmSync(directory, { recursive: true }))
const ROWS_PARQUET = join(import.meta.dirname, '../read/fixtures/rows-zstd.parquet')

function written(name: string, content: string | Buffer): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

const profileOf = async (...files: readonly string[]) => (await profileFiles({ files })).profile

test('Parquet and JSON lines, plain or compressed, one file or several, have the same profile', async () => {
  const lines: string[] = []
  for await (const { records } of recordsIn(ROWS_PARQUET))
    for (const record of records) if (record.kind === 'fields') lines.push(JSON.stringify(record.fields))
  expect(lines).toHaveLength(10)
  const text = lines.join('\n')
  const profile = await profileOf(ROWS_PARQUET)
  expect(profile.features).toMatchObject({ 'kept.boolean': { counts: { true: 4, false: 6 } }, 'day.month': { counts: { '05': 10 } } })
  expect(await profileOf(written('rows.jsonl', text))).toEqual(profile)
  expect(await profileOf(written('rows.jsonl.gz', gzipSync(text)))).toEqual(profile)
  expect(await profileOf(written('rows.jsonl.zst', zstdCompressSync(text)))).toEqual(profile)
  written('part-1.jsonl', lines.slice(0, 3).join('\n'))
  written('part-2.jsonl', lines.slice(3).join('\n'))
  expect(await profileFiles({ files: [join(directory, 'part-*.jsonl'), join(directory, 'part-1.jsonl')] })).toEqual({ files: 2, profile })
})

test('an integer beyond what a number holds is the same number in Parquet and in JSON', async () => {
  // The fifth row of the file has 2 ** 60.
  const ids = [0, 1, 2, 3, '1152921504606846976', 5, 6, 7, 8, 9].map((id) => `{"id":${id}}`).join('\n')
  const parquet = await profileFiles({ files: [ROWS_PARQUET], columns: ['id'] })
  expect(parquet.profile).toEqual(await profileOf(written('ids.jsonl', ids)))
})

test('NaN is missing, and what is infinite or beyond a number is in the last bins', async () => {
  const parquet = await profileOf(written('x.parquet', parquetOfDoubles('x', [1, Number.NaN, Infinity, -Infinity, 1e300])))
  expect(parquet).toEqual(await profileOf(written('x.jsonl', '{"x":1}\n{"x":null}\n{"x":1e400}\n{"x":-1e400}\n{"x":1e300}')))
  expect(parquet.features['x.present']).toEqual({ kind: 'words', counts: { yes: 4, no: 1 } })
})

test('a column called __proto__ is counted as any other', async () => {
  const profile = await profileOf(written('proto.jsonl', '{"__proto__":{"polluted":7},"constructor":1}'))
  expect(Object.keys(profile.features).map((name) => name.replace(/_[0-9a-f]{8}/, ''))).toEqual([
    '__proto__.present',
    '__proto__.polluted.present',
    '__proto__.polluted',
    'constructor.present',
    'constructor',
  ])
  expect(({} as { readonly polluted?: number }).polluted).toBeUndefined()
})

const WIDE = JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`c${index}`, index])))
const COMPRESSED = gzipSync('{"a":1}\n'.repeat(100_000))

test.each([
  ['wide.jsonl', `{"a":1}\n${WIDE}`, 'IL_DOCUMENT', /wide\.jsonl: row 2: with column "c249" there are more than 500 features/],
  ['text.jsonl', Buffer.from('{"a":1}\n{"a":"\xff"}\n', 'latin1'), 'IL_DOCUMENT', /text\.jsonl: row 2: it is not UTF-8 at byte 6/],
  ['cut.jsonl', '{"a":1}\n{"a":', 'IL_DOCUMENT', /cut\.jsonl: row 2: it is not JSON/],
  ['list.jsonl', '[1]', 'IL_DOCUMENT', /list\.jsonl: row 1: it is not a JSON object but an array/],
  ['deep.jsonl', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'IL_DOCUMENT', /deep\.jsonl: row 1: it is nested deeper/],
  ['cut.jsonl.gz', COMPRESSED.subarray(0, -20), 'IL_FILE', /cut\.jsonl\.gz: the gzip data ends early.*; row [\d,]+ was next/],
  ['cut.parquet', parquetOfDoubles('x', [1, 2]).subarray(0, -9), 'IL_FILE', /cut\.parquet: .*; row 1 was next/],
  ['empty.jsonl', '\n', 'IL_DOCUMENT', /empty\.jsonl: no rows/],
  ['rows.csv', 'a,b\n1,2', 'IL_FILE', /rows\.csv: its name is that of neither JSON lines nor Parquet/],
])('%s is refused with the file, the row and what to do', async (name, content, code, message) => {
  await expect(profileOf(written(name, content))).rejects.toMatchObject({ code, message: expect.stringMatching(message), next: /\w/ })
})

test('a column that no row has is refused, with those that it may mean', async () => {
  const file = written('columns.jsonl', '{"age":1,"city":"Berlin"}')
  await expect(profileFiles({ files: [file], columns: ['agee'] })).rejects.toMatchObject({
    message: '--columns: no row has a column "agee"',
    next: 'did you mean age?',
  })
  await expect(profileFiles({ files: [join(directory, 'none-*.jsonl')] })).rejects.toThrow('there is no such file')
})
