import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDataSpec } from '@ironlaw/contracts/data-spec'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, preparePipeline } from '../build.ts'
import { probeSample, sampleCorpus } from './probe.ts'

let root: string
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), 'sample-repeats-'))))
afterAll(async () => await rm(root, { recursive: true, force: true }))

const DOCUMENTS = 3000
/** Passages of 80 words, each in two to nine documents. */
const PASSAGES = 500

function wordsOf(number: number, count: number): string {
  let state = (number + 1) * 0x9e3779b1
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return `w${(state >>> 8) % 50_000}`
  }).join(' ')
}

test('a probe of a part says how much repeated text the whole has', { timeout: 60_000 }, async () => {
  const lines = Array.from({ length: DOCUMENTS }, (_, id) => {
    const passage = Math.floor(((id * 7919) % DOCUMENTS) ** 1.1) % PASSAGES
    const body = wordsOf(10_000 + id, 40 + (id % 120))
    return JSON.stringify({ id, text: id % 3 === 0 ? body : `${body} ${wordsOf(passage, 80)}` })
  })
  await writeFile(join(root, 'part-0.jsonl'), `${lines.join('\n')}\n`)
  const from = [{ name: 'web', files: 'part-*.jsonl' }]
  const steps = [{ deduplicate: { substrings: 50 } }]
  const spec = parseDataSpec({ apiVersion: 'ironlaw/v1', kind: 'Data', name: 'corpus', from, steps }, 'data.yaml')
  const request = { spec, directory: root, work: join(root, 'work'), to: join(root, 'out'), workers: 1 }
  const { pipeline } = await preparePipeline(request)
  const { corpus, heavy, sample, steps: probed, repeats } = await probeSample(pipeline, await sampleCorpus(pipeline, { share: 0.3 }))
  const { measured, figures } = await build(request)
  const predicted = ((probed[0]?.left.bytes.sum ?? 0) * (corpus.bytes - heavy.bytes)) / sample.bytes.sum + (probed[0]?.heavy.bytes ?? 0)
  const left = measured.left[0]?.bytes ?? 0
  // More than a fifth is repeated, of which a third of the documents alone would show a third.
  expect(figures.steps[0]?.dropped['repeated text']?.bytes).toBeGreaterThan(0.2 * corpus.bytes)
  expect(predicted / left).toBeGreaterThan(0.95)
  expect(predicted / left).toBeLessThan(1.05)
  const keys = ((repeats?.keys ?? 0) * (corpus.bytes - heavy.bytes)) / sample.bytes.sum + (repeats?.heavyKeys ?? 0)
  const noted = (measured.work.find(({ step }) => step === 'match')?.bytes ?? 0) / 12 - 14 * DOCUMENTS
  expect(keys / noted).toBeGreaterThan(0.85)
  expect(keys / noted).toBeLessThan(1.15)
})
