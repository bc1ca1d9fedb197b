import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import type { RawRecord } from '../unit.ts'
import { readUnit } from './read-unit.ts'

const directory = mkdtempSync(join(tmpdir(), 'text-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function readAll(content: Buffer, compression?: 'zstd'): Promise<RawRecord[]> {
  const file = join(directory, 'notes.txt')
  writeFileSync(file, content)
  const records: RawRecord[] = []
  const unit = { number: 0, source: 0, file, format: 'text', start: 0, end: content.length, ...(compression && { compression }) } as const
  for await (const batch of readUnit(unit)) records.push(...batch)
  return records
}

test('a file is one record, whatever lines it has', async () => {
  const content = Buffer.from('\uFEFFfirst\r\n\nGrüße')
  const expected = [{ kind: 'fields', fields: { text: 'first\r\n\nGrüße', path: 'notes.txt' } }]
  expect(await readAll(content)).toEqual(expected)
  expect(await readAll(zstdCompressSync(content), 'zstd')).toEqual(expected)
})

test('an empty file has no record, one that is not UTF-8 or too large a broken one', async () => {
  expect(await readAll(Buffer.alloc(0))).toEqual([])
  expect(await readAll(Buffer.from([97, 0xe9, 97]))).toEqual([{ kind: 'broken', reason: 'notes.txt is not UTF-8 at byte 2' }])
  const large = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024 + 1, 'a'))
  expect(await readAll(large, 'zstd')).toEqual([{ kind: 'broken', reason: expect.stringContaining('has more than 67108864 bytes') }])
})
