import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATA_PROBE } from '@ironlaw/contracts/data-probe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { build, preparePipeline } from '../build.ts'
import { drawCorpus } from '../validation/corpora.ts'
import { anchorOf } from './anchor.ts'
import { probeSample, sampleCorpus } from './probe.ts'
import { measureWriting } from './writing.ts'

let root: string
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), 'probe-'))))
afterAll(async () => await rm(root, { recursive: true, force: true }))

describe('an anchor', () => {
  const words = (seed: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => {
      const mixed = Math.imul((seed * 1009 + i) ^ ((seed * 1009 + i) >>> 15), 0x85ebca6b)
      return ((mixed ^ (mixed >>> 13)) >>> 0).toString(36)
    })

  test('is shared by texts with the probability of what they have in common', () => {
    let shared = 0
    const pairs = 2000
    for (let pair = 0; pair < pairs; pair += 1) {
      const common = words(pair, 80)
      const [a, b] = [[...common, ...words(pair + 1e5, 10)].join(' '), [...common, ...words(pair + 2e5, 10)].join(' ')]
      if (anchorOf(a) === anchorOf(b)) shared += 1
    }
    // 80 words of 100 are common to the two.
    expect(shared / pairs).toBeGreaterThan(0.76)
    expect(shared / pairs).toBeLessThan(0.84)
  })

  test('spreads evenly, so that a share of it is a share of the texts', () => {
    const anchors = Array.from({ length: 5000 }, (_, i) => anchorOf(words(i, 60).join(' ')) / 2 ** 53)
    expect(anchors.filter((anchor) => anchor < 0.1).length / anchors.length).toBeCloseTo(0.1, 1)
    expect(new Set(anchors).size).toBe(anchors.length)
  })

  test.each(['', 'x', 'short text', '\ud800'])('of %j is a number', (text) => expect(anchorOf(text)).toBeGreaterThanOrEqual(0))
})

describe('a probe', () => {
  test('predicts what is left of corpora with copies and near-copies', { timeout: 60_000 }, async () => {
    const errors: number[] = []
    for (const seed of [11, 12, 13, 14, 15, 16]) {
      const { spec, directory } = await drawCorpus(join(root, `corpus-${seed}`), seed, 1.5e6)
      const request = { spec, directory, work: join(root, 'work'), to: join(root, `out-${seed}`), workers: 1 }
      const { pipeline } = await preparePipeline(request)
      const probe = await probeSample(pipeline, await sampleCorpus(pipeline, { share: 0.4 }))
      expect(DATA_PROBE.safeParse(probe).success).toBe(true)
      const { measured } = await build(request)
      const { corpus, sample, heavy, steps } = probe
      const last = steps.at(-1)
      const expansion = (corpus.bytes - heavy.bytes) / sample.bytes.sum
      const tokens = (last?.left.tokens?.sum ?? 0) * expansion + (last?.heavy.tokens ?? 0)
      errors.push(tokens / (measured.left.at(-1)?.tokens ?? 0) - 1)
    }
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.1)
    expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(0.03)
  })

  test('of everything counts what there is', async () => {
    const { spec, directory, traits } = await drawCorpus(join(root, 'whole'), 21, 3e5)
    const { pipeline } = await preparePipeline({ spec, directory, work: join(root, 'work') })
    const { corpus, sample, heavy } = await probeSample(pipeline, await sampleCorpus(pipeline, { share: 1 }))
    expect(corpus.files).toBe(traits.files)
    expect(sample.documents.sum + heavy.documents).toBe(corpus.documents)
    expect(sample.bytes.sum + heavy.bytes).toBeCloseTo(corpus.bytes, 0)
  })
})

describe('writing', () => {
  test('is measured above a work directory that is not there yet, and leaves nothing behind', async () => {
    const empty = await mkdtemp(join(root, 'writing-'))
    const { write_file_s = 0, write_bytes_per_s = 0 } = await measureWriting(join(empty, 'not', 'yet'))
    expect(write_file_s).toBeGreaterThan(0)
    expect(write_bytes_per_s).toBeGreaterThan(0)
    expect(await readdir(empty)).toEqual([])
  })

  test('is left to the planner where nothing can be written', async () => {
    expect(await measureWriting('/proc/1/not-here')).toEqual({})
  })
})
