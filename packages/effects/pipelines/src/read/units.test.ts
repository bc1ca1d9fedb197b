import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseDataSpec, type DataSpec } from '@ironlaw/contracts/data-spec'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readUnit } from './read-unit.ts'
import { findUnits, inputFiles } from './units.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'units-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

function write(...files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), '{"text":"a"}\n')
  }
}

const specOf = (...files: readonly string[]): DataSpec =>
  parseDataSpec(
    { apiVersion: 'ironlaw/v1', kind: 'Data', name: 'made', from: files.map((each, index) => ({ name: `source-${index}`, files: each })) },
    'data.yaml',
  )

const findPaths = async (...files: readonly string[]): Promise<string[]> =>
  (await findUnits(specOf(...files), directory)).map(({ source, file }) => `${source} ${relative(directory, file)}`)

describe('files of a source', () => {
  test('a file is named relative to the spec or absolutely', async () => {
    write('raw/a.jsonl')
    expect(await findPaths('raw/a.jsonl', join(directory, 'raw/a.jsonl'))).toEqual(['0 raw/a.jsonl', '1 raw/a.jsonl'])
  })

  test('a directory is searched to any depth, in the order of paths by code units', async () => {
    write('raw/b.jsonl', 'raw/a/z.jsonl', 'raw/a.jsonl', 'raw/Z.jsonl', 'raw/ä.jsonl', 'raw/a-b.jsonl')
    expect(await findPaths('raw')).toEqual(
      ['raw/Z.jsonl', 'raw/a-b.jsonl', 'raw/a.jsonl', 'raw/a/z.jsonl', 'raw/b.jsonl', 'raw/ä.jsonl'].map((file) => `0 ${file}`),
    )
  })

  test('files beside the data of a published dataset are left out', async () => {
    write(
      'set/README.md',
      'set/LICENSE.txt',
      'set/dataset_infos.json',
      'set/.gitattributes',
      'set/.cache/x.jsonl',
      'set/load.py',
      'set/data/train.jsonl',
    )
    expect(await findPaths('set', 'set/**/*.jsonl')).toEqual(['0 set/data/train.jsonl', '1 set/data/train.jsonl'])
  })

  test.each([
    ['raw/*.jsonl', ['raw/a.jsonl', 'raw/b.jsonl']],
    ['raw/**/*.jsonl', ['raw/a.jsonl', 'raw/b.jsonl', 'raw/deep/er/c.jsonl']],
    ['**/c.*', ['raw/deep/er/c.jsonl']],
    ['*/a*', ['raw/a.jsonl', 'raw/a.txt']],
    ['./raw/deep/**', ['raw/deep/er/c.jsonl']],
    ['raw/[1].jsonl', ['raw/[1].jsonl']],
    ['raw/[*].jsonl', ['raw/[1].jsonl']],
  ])('the pattern %s finds files', async (pattern, expected) => {
    write('raw/a.jsonl', 'raw/b.jsonl', 'raw/a.txt', 'raw/deep/er/c.jsonl')
    if (pattern.includes('[')) write('raw/[1].jsonl')
    expect(await findPaths(pattern)).toEqual(expected.map((file) => `0 ${file}`))
  })

  test('links are followed and nothing is found twice', async () => {
    write('blobs/1234', 'raw/a.jsonl')
    symlinkSync('../blobs/1234', join(directory, 'raw/linked.jsonl'))
    symlinkSync('../blobs/1234', join(directory, 'raw/linked-again.jsonl'))
    symlinkSync('.', join(directory, 'raw/circle'))
    expect(await findPaths('raw')).toEqual(['0 raw/a.jsonl', '0 raw/linked-again.jsonl'])
  })
})

test.each([
  ['a.jsonl', { format: 'jsonl' }],
  ['a.ndjson.gz', { format: 'jsonl', compression: 'gzip' }],
  ['a.JSON.zst', { format: 'json', compression: 'zstd' }],
  ['CC-MAIN-1.warc.wet.gz', { format: 'warc', compression: 'gzip' }],
  ['a.warc', { format: 'warc' }],
  ['a.txt.zst', { format: 'text', compression: 'zstd' }],
  ['v1.2.md', { format: 'text' }],
])('%s is read by its name', async (name, kind) => {
  write(name)
  const [unit] = await findUnits(specOf(name), directory)
  expect(unit).toEqual({ number: 0, source: 0, file: join(directory, name), start: 0, end: 13, ...kind })
})

test('the format of the spec counts more than the name', async () => {
  write('code/main.py', 'code/data.bin.gz')
  const spec = parseDataSpec(
    { apiVersion: 'ironlaw/v1', kind: 'Data', name: 'made', from: [{ name: 'code', files: 'code', format: 'text' }] },
    'data.yaml',
  )
  expect((await findUnits(spec, directory)).map(({ format, compression }) => [format, compression])).toEqual([
    ['text', 'gzip'],
    ['text', undefined],
  ])
})

test('plain JSON lines are divided into ranges, others are not, and units are numbered over all sources', async () => {
  write('a.jsonl', 'b.jsonl.gz', 'c.txt')
  writeFileSync(join(directory, 'empty.jsonl'), '')
  const units = await findUnits(specOf('a.jsonl', 'b.jsonl.gz', 'c.txt', 'empty.jsonl'), directory, { unitBytes: 5 })
  expect(units.map(({ number, source, start, end }) => [number, source, start, end])).toEqual([
    [0, 0, 0, 5],
    [1, 0, 5, 10],
    [2, 0, 10, 13],
    [3, 1, 0, 13],
    [4, 2, 0, 13],
    [5, 3, 0, 0],
  ])
})

test('the units of a divided file have its records in order', async () => {
  const lines = Array.from({ length: 300 }, (_, index) => JSON.stringify({ id: index, text: 'x'.repeat(index % 50) }))
  writeFileSync(join(directory, 'a.jsonl'), lines.join('\r\n'))
  const read: string[] = []
  for (const unit of await findUnits(specOf('a.jsonl'), directory, { unitBytes: 97 }))
    for await (const batch of readUnit(unit))
      read.push(...batch.map((record) => (record.kind === 'line' ? record.bytes.toString() : record.kind)))
  expect(read).toEqual(lines)
})

test.each([
  ['none.jsonl', 'source source-0: none.jsonl does not exist in '],
  ['none/*.jsonl', 'source source-0: none/*.jsonl matches no file in '],
  ['raw/*.parquet', 'source source-0: raw/*.parquet matches no file in '],
  ['hidden', 'source source-0: hidden is a directory without files'],
  ['pictures', 'source source-0: pictures is a directory without files that can be read'],
  ['raw/a.csv', 'raw/a.csv is of no kind that can be read'],
  ['raw', 'raw/a.csv is of no kind that can be read'],
  ['raw/*', 'raw/a.csv is of no kind that can be read'],
  ['packed/a.parquet.gz', 'packed/a.parquet.gz is of no kind that can be read'],
])('the source %s is refused with what to do', async (files, problem) => {
  write('raw/a.csv', 'raw/b.jsonl', 'hidden/.a.jsonl', 'pictures/a.png', 'packed/a.parquet.gz')
  await expect(findUnits(specOf(files), directory, { specFile: 'data.yaml' })).rejects.toMatchObject({
    code: 'IL_SPEC',
    message: expect.stringContaining(problem),
    next: expect.stringMatching(/./),
  })
  await expect(findUnits(specOf(files), directory, { specFile: 'data.yaml' })).rejects.toThrow('data.yaml: from.0.files: ')
})

test('a link to nothing is refused by name', async () => {
  write('raw/a.jsonl')
  symlinkSync('nowhere', join(directory, 'raw/b.jsonl'))
  await expect(findPaths('raw')).rejects.toMatchObject({ code: 'IL_FILE', message: expect.stringContaining('raw/b.jsonl') })
})

test('a changed file is another input', async () => {
  write('a.jsonl', 'b.jsonl')
  const units = await findUnits(specOf('*.jsonl'), directory, { unitBytes: 5 })
  const before = await inputFiles(units, directory)
  expect(before.map(({ source, path, bytes }) => [source, path, bytes])).toEqual([
    [0, 'a.jsonl', 13],
    [0, 'b.jsonl', 13],
  ])
  expect(await inputFiles(units, directory)).toEqual(before)
  utimesSync(join(directory, 'b.jsonl'), 1, 1)
  expect(await inputFiles(units, directory)).not.toEqual(before)
})
