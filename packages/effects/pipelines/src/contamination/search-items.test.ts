import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { parseDataSpec } from '@ironlaw/contracts/data-spec'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { build } from '../build.ts'
import { searchItems } from './search-items.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-contamination-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

const write = (name: string, content: string | Buffer): string => {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  return path
}
const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const QUESTION = 'Which of the planets that go around the sun has the largest number of known moons?'
const TALK = 'Please tell me how long the longest river of the whole continent of Africa is'
const OTHER = 'At what temperature does water boil on top of the highest mountain that there is?'
const SYSTEM = 'You are a kind assistant who answers every question shortly and without any doubt at all'
const ITEMS = [
  { id: 'planet', prompt: QUESTION, answers: ['Saturn'] },
  {
    id: 'river',
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: TALK },
    ],
  },
  { id: 'water', prompt: OTHER, answers: ['71 °C'] },
  { id: 'sum', prompt: '2 + 2 =', answers: ['4'] },
]
const DOCUMENTS = [
  { text: `A page about something else. ${SYSTEM}.` },
  { text: `A quiz!\n\n${QUESTION.toUpperCase().replaceAll(' ', '\n')} Saturn.` },
  { text: `Somebody asked: ${TALK}.` },
]

test('items are found in documents, and those too short are named', async () => {
  const items = write('items.jsonl', lines(ITEMS))
  const data = write('corpus/part-0.jsonl.zst', zstdCompressSync(lines(DOCUMENTS)))
  expect(await searchItems({ items, data: [data] })).toEqual({
    items: ['planet', 'river', 'water', 'sum'],
    short: ['sum'],
    found: [
      { id: 'planet', file: data, document: 1 },
      { id: 'river', file: data, document: 2 },
    ],
    documents: 3,
  })
})

test('fields limit what is searched for', async () => {
  const items = write('items.jsonl', lines(ITEMS))
  const data = [write('corpus.jsonl', lines(DOCUMENTS))]
  const { found, short } = await searchItems({ items, data, fields: ['prompt'] })
  expect(found.map(({ id }) => id)).toEqual(['planet'])
  expect(short).toEqual(['river', 'sum'])
})

const spec = (steps: readonly object[]) =>
  parseDataSpec(
    { apiVersion: 'ironlaw/v1', kind: 'Data', name: 'corpus', from: [{ name: 'web', files: 'corpus.jsonl' }], steps },
    'data.yaml',
  )

test('a dataset that was built without the items has none of them', async () => {
  const items = write('items.jsonl', lines(ITEMS))
  write('corpus.jsonl', lines(DOCUMENTS))
  for (const [name, steps, found] of [
    ['with', [{ redact: {} }], ['planet', 'river']],
    ['without', [{ without: { items: 'items.jsonl' } }], []],
  ] as const) {
    const to = join(folder, name)
    await build({ spec: spec(steps), directory: folder, work: join(folder, `work-${name}`), to, workers: 1 })
    expect((await searchItems({ items, data: [to] })).found.map(({ id }) => id)).toEqual(found)
  }
})

test('tokens are read as text', async () => {
  const items = write('items.jsonl', lines(ITEMS))
  const texts = DOCUMENTS.map(({ text }) => Buffer.from(text))
  const tokens = new Uint16Array(texts.flatMap((text) => [...text]))
  const starts = new BigUint64Array(texts.length + 1)
  texts.forEach((text, index) => (starts[index + 1] = (starts[index] as bigint) + BigInt(text.length)))
  write('tokens/tokens-00000.bin', Buffer.from(tokens.buffer))
  write('tokens/documents-00000.idx', Buffer.from(starts.buffer))
  const shard = { tokens: tokens.length, documents: texts.length, tokensDigest: '0'.repeat(64), documentsDigest: '0'.repeat(64) }
  const dataset = {
    apiVersion: 'ironlaw/v1',
    kind: 'TokenDataset',
    tokenizer: 'bytes',
    vocabulary: 256,
    dtype: 'uint16',
    sequence: 8,
    tokens: tokens.length,
    documents: texts.length,
    samples: Math.floor((tokens.length - 1) / 8),
    shards: [shard],
  }
  write('tokens/dataset.json', JSON.stringify(dataset))
  const { found, documents } = await searchItems({ items, data: [join(folder, 'tokens')] })
  expect([documents, found.map(({ id, document }) => [id, document])]).toEqual([
    3,
    [
      ['planet', 1],
      ['river', 2],
    ],
  ])
  write('tokens/dataset.json', JSON.stringify({ ...dataset, vocabulary: 300 }))
  await expect(searchItems({ items, data: [join(folder, 'tokens')] })).rejects.toThrow(/tokenizer\.json/)
})
