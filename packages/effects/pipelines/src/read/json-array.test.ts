import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fc, test } from '@fast-check/vitest'
import { parseDataSpec } from '@ironlaw/contracts/data-spec'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { RawRecord, Unit } from '../unit.ts'
import { readArray } from './json-array.ts'
import { parseRecord } from './parse-record.ts'
import { readUnit } from './read-unit.ts'
import { findUnits } from './units.ts'

let root: string
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), 'json-array-'))))
afterAll(async () => await rm(root, { recursive: true, force: true }))

async function recordsOf(name: string, content: string | Buffer): Promise<RawRecord[]> {
  await writeFile(join(root, name), content)
  const spec = parseDataSpec({ apiVersion: 'ironlaw/v1', kind: 'Data', name: 'x', from: [{ name: 'web', files: name }] }, 'data.yaml')
  const records: RawRecord[] = []
  for (const unit of await findUnits(spec, root, { unitBytes: 64 })) for await (const batch of readUnit(unit)) records.push(...batch)
  return records
}

const fieldsOf = (records: readonly RawRecord[]): unknown[] =>
  records.map((record) => {
    const parsed = parseRecord(record)
    return parsed.kind === 'fields' ? parsed.fields : parsed
  })

describe('a .json file', () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 8 })

  test.prop([objects, fc.constantFrom(0, 1, '\t'), fc.boolean()], { numRuns: 40 })(
    'that holds an array has its elements as records, each on one line',
    async (values, indentation, isCompressed) => {
      const text = `\ufeff ${JSON.stringify(values, undefined, indentation)}\r\n`
      const records = await recordsOf(isCompressed ? 'a.json.gz' : 'a.json', isCompressed ? gzipSync(text) : text)
      expect(fieldsOf(records)).toEqual(JSON.parse(JSON.stringify(values)))
      for (const record of records) expect(record.kind === 'line' && record.bytes.includes('\n')).toBe(false)
    },
  )

  test('that holds an object a line is read as lines, in units', async () => {
    const lines = Array.from({ length: 20 }, (_, id) => JSON.stringify({ id, text: '[' }))
    expect(fieldsOf(await recordsOf('lines.json', lines.join('\n')))).toEqual(lines.map((line) => JSON.parse(line)))
    expect(await recordsOf('lines.json.gz', gzipSync(lines.join('\n')))).toHaveLength(20)
  })

  test.each([
    ['[{"a":1},{"a":2}', /it is not one JSON array: it ends early at byte 16/],
    ['[{"a":1}] [2]', /something follows it at byte 10/],
    ['[{"a":1},,{"a":2}]', /an element is missing at byte 9/],
  ])('with %s is refused with the place', async (content, message) => {
    await expect(recordsOf('wrong.json', content)).rejects.toThrow(message)
  })

  test('may hold an element that is too large, which is one broken record', async () => {
    const file = join(root, 'large.json')
    await writeFile(file, JSON.stringify([{ a: 1 }, { a: 'x'.repeat(500) }, { a: 2 }]))
    const unit: Unit = { number: 0, source: 0, file, format: 'json', start: 0, end: 600 }
    const records: RawRecord[] = []
    for await (const batch of readArray(unit, 100)) records.push(...batch)
    expect(fieldsOf(records)).toEqual([{ a: 1 }, { kind: 'broken', reason: 'has 508 bytes, at most 100 are read' }, { a: 2 }])
  })
})
