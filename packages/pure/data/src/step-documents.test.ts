import { fc, test as property } from '@fast-check/vitest'
import { expect } from 'vitest'
import { dataOrder } from './data-order.ts'
import { documentsOfSample, samplesOfDocument, samplesOfStep, stepsThatSaw, type TokenLayout } from './step-documents.ts'
import { sampleCount } from './token-ranges.ts'

const documentTokens = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 })

function shardOf(lengths: readonly number[]): TokenLayout['shards'][number] {
  const offsets = [0]
  for (const length of lengths) offsets.push((offsets.at(-1) ?? 0) + length)
  return { documents: lengths.length, tokens: offsets.at(-1) ?? 0, offsetAt: (entry) => offsets[entry] ?? 0 }
}

const layout = fc.record({
  sequence: fc.integer({ min: 1, max: 12 }),
  shards: fc.array(documentTokens, { minLength: 1, maxLength: 3 }).map((shards) => [shardOf([1, 12, 1]), ...shards.map(shardOf)]),
})

property.prop([layout, fc.nat(), fc.integer({ min: 1, max: 9 })])(
  'the steps that saw a document are those that show it',
  (given, seed, batch) => {
    const samples = sampleCount({ sequence: given.sequence, tokens: given.shards.reduce((sum, { tokens }) => sum + tokens, 0) })
    const order = dataOrder({
      seed,
      sources: [{ name: 'web', samples, digest: 'a'.repeat(64) }],
      phases: [{ sources: [{ source: 'web', weight: 1 }] }],
    })
    const steps = Array.from({ length: 12 }, (_, index) => index + 1)
    const shown = steps.map((step) => samplesOfStep(order, { step, batch }).flatMap(({ sample }) => documentsOfSample(sample, given)))
    for (const [shard, { documents }] of given.shards.entries())
      for (let document = 0; document < documents; document += 1) {
        const expected = steps.filter((step) => shown[step - 1]?.some((each) => each.shard === shard && each.document === document))
        const own = samplesOfDocument({ shard, document }, given)
        expect(stepsThatSaw(order, { source: 'web', samples: own, batch, until: 12 * batch })).toEqual(expected)
      }
  },
)
