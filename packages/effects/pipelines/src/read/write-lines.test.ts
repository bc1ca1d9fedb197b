import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { fc, test } from '@fast-check/vitest'
import { afterEach, beforeEach, expect } from 'vitest'
import type { Fields } from '../unit.ts'
import { openLinesWriter, type WrittenLines } from './write-lines.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'write-lines-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

async function writeBatches(batches: readonly (readonly (Buffer | Fields)[])[], name = 'part.jsonl.zst'): Promise<WrittenLines> {
  const writer = await openLinesWriter(join(directory, name))
  for (const batch of batches) await writer.write(batch)
  return await writer.finish()
}

const read = (name = 'part.jsonl.zst'): Buffer => readFileSync(join(directory, name))

test('lines and fields are written in order, and the file is described', async () => {
  const written = await writeBatches([[Buffer.from('{"a":1}'), { text: 'é\n\ud800' }], [], [{}]])
  expect(zstdDecompressSync(read()).toString()).toBe('{"a":1}\n{"text":"é\\n\\ud800"}\n{}\n')
  expect(written).toEqual({ lines: 3, bytes: read().length, sha256: createHash('sha256').update(read()).digest('hex') })
  expect(readdirSync(directory)).toEqual(['part.jsonl.zst'])
})

/** About three megabytes, with lines that end at and beside the ends of blocks. */
const LINES = [
  ...Array.from({ length: 2000 }, (_, index) => Buffer.from(JSON.stringify({ index, text: String(Math.sin(index)).repeat(20) }))),
  ...[-3, -2, -1, 0, 1].map((more) => Buffer.from('x'.repeat(2 ** 19 + more))),
]

test.prop([fc.array(fc.nat(LINES.length), { maxLength: 20 })], { numRuns: 10 })('the bytes do not depend on the batches', async (cuts) => {
  const bounds = [0, ...cuts.toSorted((a, b) => a - b), LINES.length]
  const batches = bounds.slice(1).map((end, index) => LINES.slice(bounds[index], end))
  const [one, many] = [await writeBatches([LINES], 'one'), await writeBatches(batches, 'many')]
  expect(many).toEqual(one)
  expect(zstdDecompressSync(read('many')).equals(Buffer.from(LINES.map((line) => `${line.toString()}\n`).join('')))).toBe(true)
})

test('no lines make a file without lines', async () => {
  expect(await writeBatches([])).toMatchObject({ lines: 0 })
  expect(zstdDecompressSync(read())).toHaveLength(0)
})

test('a file is not there before it is whole, and nothing is left of a discarded one', async () => {
  const writer = await openLinesWriter(join(directory, 'part.jsonl.zst'))
  await writer.write(LINES)
  expect(readdirSync(directory)).toEqual([expect.stringMatching(/^\./)])
  await writer.discard()
  expect(readdirSync(directory)).toEqual([])
})

test('a directory that is not there is named', async () => {
  const file = join(directory, 'none', 'part.jsonl.zst')
  await expect(openLinesWriter(file)).rejects.toThrow(`${file}: there is no such file or directory`)
})

test('the bytes do not depend on how busy the compressor is when the last lines come', async () => {
  const line = Buffer.from('word '.repeat(2000))
  const digests = new Set<string>()
  const writeOne = async (number: number): Promise<void> => {
    const writer = await openLinesWriter(join(directory, `part-${number}.jsonl.zst`), { level: 1 })
    await writer.write(Array.from({ length: 260 }, (_, i) => Buffer.concat([Buffer.from(`${i} `), line])))
    digests.add((await writer.finish()).sha256)
  }
  for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 12 }, async (_, i) => await writeOne(12 * round + i)))
  expect(digests.size).toBe(1)
  // One frame: no second one begins.
  expect(read('part-0.jsonl.zst').lastIndexOf(Buffer.from('28b52ffd', 'hex'))).toBe(0)
})
