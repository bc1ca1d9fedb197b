import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { currentVersion, type MeasuredDocument, undoVersion, writeVersion } from './measured-file.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ironlaw-measured-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const documentOf = (by: string, bytes: number): MeasuredDocument => ({
  made: { at: '2026-11-15T08:00:00.000Z', by },
  catalog: { accelerators: { 'h100-sxm': { measured: { on: by, software: 'none', element: { is: `${bytes} B`, from: by } } } } },
  finished: [{ run: by, at: '2026-11-15', accelerator: 'h100-sxm', predicted_s: 1, low_s: 0.5, high_s: 2, measured_s: 1.1 }],
})

test('what is written is read back, and the newest is in force', () => {
  expect(currentVersion(directory)).toBeUndefined()
  writeVersion(documentOf('first', 2), directory)
  writeVersion(documentOf('second', 4), directory)
  expect(currentVersion(directory)).toMatchObject({ number: 2, document: documentOf('second', 4) })
})

test('property: undo restores the previous version, byte for byte, and a number is never reused', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.nat()), { minLength: 1, maxLength: 4 }), (rows) => {
      const before = rows.map(([by, bytes]) => writeVersion(documentOf(by, bytes), directory)).at(-1)
      const bytes = readFileSync(before?.file ?? '')
      const after = writeVersion(documentOf('to be undone', 1), directory)
      expect(undoVersion(directory)).toMatchObject({ undone: after.number, now: { number: before?.number } })
      expect(readFileSync(currentVersion(directory)?.file ?? '').equals(bytes)).toBe(true)
      expect(writeVersion(documentOf('next', 1), directory).number).toBe(after.number + 1)
    }),
    { numRuns: 20 },
  )
})

test('files left by a writer that died are ignored', () => {
  const { number } = writeVersion(documentOf('first', 2), directory)
  writeFileSync(join(directory, '000002.yaml.tmp-1'), 'made: {')
  expect(currentVersion(directory)?.number).toBe(number)
  expect(undoVersion(directory)).toEqual({ undone: 1, now: undefined })
  expect(undoVersion(directory)).toBeUndefined()
})

test('a corrupted version is reported, and can be undone', () => {
  writeVersion(documentOf('first', 2), directory)
  writeFileSync(join(directory, '000002.yaml'), 'nothing: here')
  expect(() => currentVersion(directory)).toThrow(/000002.yaml: it was not written by/)
  expect(undoVersion(directory)).toMatchObject({ undone: 2, now: { number: 1 } })
})
