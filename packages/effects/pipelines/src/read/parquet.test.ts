import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { afterAll, expect } from 'vitest'
import type { RawRecord } from '../unit.ts'
import { readRowGroups, rowGroupRanges } from './parquet.ts'

// WrittenUnit by pyarrow 26.0.1: ten rows in row groups of four, by codec; v2 has data pages of version 2 and delta encodings.
const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', `${name}.parquet`)
const directory = mkdtempSync(join(tmpdir(), 'parquet-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function readAll(file: string, unitBytes = 1): Promise<RawRecord[]> {
  const records: RawRecord[] = []
  for (const range of await rowGroupRanges(file, unitBytes))
    for await (const batch of readRowGroups({ number: 0, source: 0, file, format: 'parquet', ...range })) records.push(...batch)
  return records
}

const row = (index: number): RawRecord => ({
  kind: 'fields',
  fields: {
    // 2 ** 60 is more than a number holds.
    id: index === 4 ? '1152921504606846976' : index,
    text: index === 3 ? null : index % 2 === 1 ? `Zeile ${index}: Grüße, 世界 🌍` : `line ${index}`,
    score: index / 4,
    kept: index % 3 === 0,
    seen: `2024-05-01T12:00:0${index}.000Z`,
    day: `2024-05-${String(index + 1).padStart(2, '0')}`,
    raw: index === 1 ? Buffer.from([255, 0]).toString('base64') : 'bytes',
    tags: index === 5 ? null : ['t0', 't1'].slice(0, index % 3),
    meta: { url: `https://example.org/${index}`, links: [{ to: index, n: null }] },
    dict: index % 2 === 1 ? 'a' : 'b',
  },
})

const ROWS = Array.from({ length: 10 }, (_, index) => row(index))

test.each(['none', 'snappy', 'gzip', 'zstd', 'brotli', 'v2'])('rows that another program wrote are read: %s', async (name) => {
  expect(await readAll(fixture(`rows-${name}`))).toEqual(ROWS)
})

test.prop([fc.integer({ min: 1, max: 10_000 })], { numRuns: 20 })(
  'any size of units gives the same rows in the same order',
  async (unitBytes) => {
    expect(await readAll(fixture('rows-zstd'), unitBytes)).toEqual(ROWS)
  },
)

test('row groups are joined up to the size of a unit', async () => {
  expect(await rowGroupRanges(fixture('rows-zstd'), 1)).toEqual([
    { start: 0, end: 1 },
    { start: 1, end: 2 },
    { start: 2, end: 3 },
  ])
  expect(await rowGroupRanges(fixture('rows-zstd'), 1e9)).toEqual([{ start: 0, end: 3 }])
})

test.each(['empty', 'no-groups'])('a file without rows has no records: %s', async (name) => {
  expect(await readAll(fixture(name))).toEqual([])
})

test('a string that is not UTF-8 is a broken record', async () => {
  expect(await readAll(fixture('invalid-text'))).toEqual([
    { kind: 'fields', fields: { text: 'good' } },
    { kind: 'broken', reason: 'column text is not UTF-8' },
  ])
})

const whole = readFileSync(fixture('rows-snappy'))

function written(content: Buffer): string {
  const file = join(directory, 'damaged.parquet')
  writeFileSync(file, content)
  return file
}

test.each([
  ['empty', Buffer.alloc(0), 'it has 0 bytes, less than any Parquet file'],
  ['truncated', whole.subarray(0, -100), 'footer != PAR1'],
  ['text', Buffer.from('{"text":"no Parquet at all"}\n'), 'footer != PAR1'],
  ['without its beginning', whole.subarray(-2500), 'parquet metadata length'],
])('a file that is %s is refused', async (_, content, message) => {
  const file = written(content)
  await expect(readAll(file)).rejects.toMatchObject({ code: 'IL_FILE', message: expect.stringMatching(message) })
  await expect(readAll(file)).rejects.toThrow(file)
})

test('a codec that is not supported is named', async () => {
  await expect(readAll(fixture('rows-lz4'))).rejects.toThrow('row group 0: parquet unsupported compression codec: LZ4_RAW')
})

test.prop([fc.nat(whole.length - 1)], { numRuns: 50 })('a file that is cut off anywhere is refused', async (length) => {
  const file = written(whole.subarray(0, length))
  await expect(readAll(file)).rejects.toMatchObject({ code: 'IL_FILE', message: expect.stringContaining(file) })
})
