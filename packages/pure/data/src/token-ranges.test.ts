import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { documentsOf, piecesOf, positionsOfStep, sampleCount, samplesOfTokens, stepOfPosition, tokensOfSample } from './token-ranges.ts'

const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 30 })
const range = fc.tuple(fc.nat({ max: 200 }), fc.nat({ max: 60 })).map(([start, length]) => ({ start, end: start + length }))

property.prop([range, fc.record({ tokens: fc.integer({ min: 1, max: 300 }), sequence: fc.integer({ min: 1, max: 40 }) })])(
  'the samples of a token range are those whose window meets it',
  (tokens, windows) => {
    const expected = Array.from({ length: sampleCount(windows) }, (_, sample) => sample).filter((sample) => {
      const window = tokensOfSample(sample, windows.sequence)
      return Math.max(window.start, tokens.start) < Math.min(window.end, tokens.end)
    })
    const { first, end } = samplesOfTokens(tokens, windows)
    expect(Array.from({ length: end - first }, (_, index) => first + index)).toEqual(expected)
  },
)

property.prop([range, lengths])('the pieces of a range are its tokens, shard by shard', (tokens, shardTokens) => {
  const text = shardTokens.flatMap((count, shard) => Array.from({ length: count }, (_, token) => `${shard}:${token}`))
  const read = piecesOf(tokens, shardTokens).flatMap(({ shard, start, end }) =>
    Array.from({ length: end - start }, (_, index) => `${shard}:${start + index}`),
  )
  expect(read).toEqual(text.slice(tokens.start, tokens.end))
})

property.prop([lengths, fc.nat(), fc.nat()])(
  'the documents of a range are those that have a token in it',
  (documentTokens, from, length) => {
    const offsets = [0]
    for (const tokens of documentTokens) offsets.push((offsets.at(-1) ?? 0) + tokens)
    const total = offsets.at(-1) ?? 0
    const start = from % total
    const end = Math.min(total, start + 1 + (length % 30))
    const { first, end: after } = documentsOf(
      { start, end },
      { documents: documentTokens.length, offsetAt: (entry) => offsets[entry] ?? 0 },
    )
    const meeting = documentTokens.keys().filter((document) => (offsets[document] ?? 0) < end && (offsets[document + 1] ?? 0) > start)
    expect(Array.from({ length: after - first }, (_, index) => first + index)).toEqual(meeting.toArray())
  },
)

test('steps count from one', () => {
  expect(positionsOfStep(1, 16)).toEqual({ start: 0, end: 16 })
  expect(positionsOfStep(3, 16)).toEqual({ start: 32, end: 48 })
  expect([0, 15, 16, 47].map((position) => stepOfPosition(position, 16))).toEqual([1, 1, 2, 3])
})
