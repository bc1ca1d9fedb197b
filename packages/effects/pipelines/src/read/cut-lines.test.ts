import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import type { RawRecord } from '../unit.ts'
import { lineCutter, type LineRange } from './cut-lines.ts'

const content = fc
  .array(fc.constantFrom('a', '{"b":1}', '\n', '\r\n', '\r', ' ', '\t\n', 'é', '\uFEFF', '\n\n'), { maxLength: 40 })
  .map((parts) => Buffer.from(parts.join('')))

/** Sizes of chunks, taken in turn. */
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })

function cutInChunks(bytes: Buffer, range: LineRange, chunkSizes: readonly number[]): readonly RawRecord[] {
  const cutter = lineCutter(range)
  const records: RawRecord[] = []
  for (let at = cutter.from, turn = 0; at < bytes.length && !cutter.isDone(); turn++) {
    const end = at + (chunkSizes[turn % chunkSizes.length] ?? 1)
    records.push(...cutter.cut(bytes.subarray(at, end)))
    at = end
  }
  return [...records, ...cutter.finish()]
}

const textOf = (records: readonly RawRecord[]): string[] =>
  records.map((record) => (record.kind === 'line' ? record.bytes.toString() : `broken: ${JSON.stringify(record)}`))

/** The same by a road of its own: as text, all at once. */
const expectedLines = (bytes: Buffer): string[] =>
  bytes
    .toString()
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => /[^ \t\r\v\f]/.test(line))

test.prop([content, sizes])('lines are the same in whatever chunks the bytes come', (bytes, chunks) => {
  expect(textOf(cutInChunks(bytes, { start: 0, end: bytes.length }, chunks))).toEqual(expectedLines(bytes))
})

test.prop([content, sizes, fc.array(fc.nat(60), { maxLength: 6 })])(
  'any division into ranges gives every line once, in order',
  (bytes, chunks, cuts) => {
    const bounds = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]
    const found = bounds.slice(1).flatMap((end, index) => cutInChunks(bytes, { start: bounds[index] ?? 0, end }, chunks))
    expect(textOf(found)).toEqual(expectedLines(bytes))
  },
)

test.prop([sizes])('a line that is too long is one broken record and the next lines are read', (chunks) => {
  const bytes = Buffer.from(`short\n${'x'.repeat(30)}\nafter\n${'y'.repeat(20)}\n${'z'.repeat(21)}`)
  expect(cutInChunks(bytes, { start: 0, end: bytes.length, mostBytes: 20 }, chunks)).toEqual([
    { kind: 'line', bytes: Buffer.from('short') },
    { kind: 'broken', reason: 'the line at byte 6 has 30 bytes, at most 20 are read' },
    { kind: 'line', bytes: Buffer.from('after') },
    { kind: 'line', bytes: Buffer.from('y'.repeat(20)) },
    { kind: 'broken', reason: 'the line at byte 64 has 21 bytes, at most 20 are read' },
  ])
})

test('a range inside a long line has no lines and needs no byte behind its end', () => {
  const cutter = lineCutter({ start: 4, end: 8 })
  expect(cutter.cut(Buffer.from('xxxxx'))).toEqual([])
  expect(cutter.isDone()).toBe(true)
})
