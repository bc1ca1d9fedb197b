import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import type { Unit } from '../unit.ts'
import { readUnit } from './read-unit.ts'

const directory = mkdtempSync(join(tmpdir(), 'read-lines-'))
afterAll(() => rmSync(directory, { recursive: true }))

function unitOf(content: Buffer | string, compression?: 'gzip' | 'zstd'): Unit {
  const file = join(directory, 'lines.jsonl')
  writeFileSync(file, content)
  return { number: 0, source: 0, file, format: 'jsonl', start: 0, end: content.length, ...(compression ? { compression } : {}) }
}

async function readAll(unit: Unit): Promise<string> {
  const lines: string[] = []
  for await (const batch of readUnit(unit))
    for (const record of batch) lines.push(record.kind === 'line' ? record.bytes.toString() : record.kind)
  return lines.join('\n')
}

/** Not compressible much, so that it takes many chunks either way. */
const LINES = Array.from({ length: 40_000 }, (_, index) => JSON.stringify({ id: index, text: String(Math.sin(index)).repeat(3) })).join(
  '\n',
)
const PARTS = [LINES.slice(0, 1_000_000), LINES.slice(1_000_000, 1_000_010), LINES.slice(1_000_010)]
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2])

test.each([
  ['plain', unitOf.bind(undefined, LINES)],
  ['gzip', (): Unit => unitOf(gzipSync(LINES), 'gzip')],
  ['gzip of several members', (): Unit => unitOf(Buffer.concat(PARTS.map((part) => gzipSync(part))), 'gzip')],
  ['zstd', (): Unit => unitOf(zstdCompressSync(LINES), 'zstd')],
  ['zstd of several frames', (): Unit => unitOf(Buffer.concat(PARTS.map((part) => zstdCompressSync(part))), 'zstd')],
  ['zstd with a frame to skip', (): Unit => unitOf(Buffer.concat([skippable, zstdCompressSync(LINES), skippable]), 'zstd')],
])('%s files are read whole', async (_, unit) => {
  expect(await readAll(unit())).toBe(LINES)
})

test('many small zstd frames are read', async () => {
  const frames = Array.from({ length: 200 }, (_, index) => zstdCompressSync(`{"id":${index}}\n`))
  expect((await readAll(unitOf(Buffer.concat(frames), 'zstd'))).split('\n')).toHaveLength(200)
})

const gzip = gzipSync(LINES)
const zstd = zstdCompressSync(LINES)

test.each([
  ['half of a gzip file', 'gzip', gzip.subarray(0, gzip.length >> 1), /the gzip data ends early, after [1-9]\d+ decompressed bytes/],
  ['gzip without its last byte', 'gzip', gzip.subarray(0, -1), /the gzip data ends early/],
  ['half of a zstd file', 'zstd', zstd.subarray(0, zstd.length >> 1), /the zstd data ends early, after [1-9]\d+ decompressed bytes/],
  ['a zstd file with half a second frame', 'zstd', Buffer.concat([zstd, zstd.subarray(0, 1000)]), /the zstd data ends early/],
  ['a zstd file with bytes behind it', 'zstd', Buffer.concat([zstd, Buffer.from('more text')]), /it is not valid zstd data/],
  ['plain text that is called gzip', 'gzip', Buffer.from('{"text":"a"}\n'), /it is not valid gzip data/],
  ['plain text that is called zstd', 'zstd', Buffer.from('{"text":"a"}\n'), /it is not valid zstd data/],
  ['an empty file that is called gzip', 'gzip', Buffer.alloc(0), /the gzip data ends early, after 0/],
  ['an empty file that is called zstd', 'zstd', Buffer.alloc(0), /the zstd data ends early, after 0/],
] as const)('%s is refused', async (_, compression, content, message) => {
  const unit = unitOf(content, compression)
  await expect(readAll(unit)).rejects.toMatchObject({ code: 'IL_FILE', message: expect.stringMatching(message) })
  await expect(readAll(unit)).rejects.toThrow(unit.file)
})

test('an empty file has no records', async () => {
  expect(await readAll(unitOf(''))).toBe('')
})

test('binary bytes are lines, which parsing sets aside', async () => {
  expect(await readAll(unitOf(Buffer.from([0, 255, 10, 0, 10])))).toBe('\0\uFFFD\n\0')
})

test('a file that has become shorter is refused', async () => {
  const unit = unitOf(LINES)
  truncateSync(unit.file, 1000)
  await expect(readAll(unit)).rejects.toThrow(`it has become shorter: 1000 bytes are left of ${LINES.length}`)
})

test('a file that is not there is refused', async () => {
  const unit = { ...unitOf(''), file: join(directory, 'none.jsonl') }
  await expect(readAll(unit)).rejects.toThrow('there is no such file or directory')
  await expect(readAll({ ...unit, compression: 'zstd' })).rejects.toThrow('there is no such file or directory')
  await expect(readAll({ ...unit, file: directory, compression: 'zstd' })).rejects.toThrow('it is a directory')
})

test('a consumer that stops early leaves no file open', async () => {
  const unit = unitOf(zstd, 'zstd')
  for await (const batch of readUnit(unit)) {
    expect(batch.length).toBeGreaterThan(0)
    break
  }
})
