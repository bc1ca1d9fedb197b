import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { fittingLengths, lengthsNote, promptOf, shorterLengths } from './bench-lengths.ts'

test('given lengths stay, others are as long as the context allows', () => {
  expect(fittingLengths({}, undefined)).toEqual({ input: 256, output: 64 })
  expect(fittingLengths({}, 4096)).toEqual({ input: 256, output: 64 })
  expect(fittingLengths({}, 128)).toEqual({ input: 75, output: 37 })
  expect(fittingLengths({ input: 100 }, 128)).toEqual({ input: 100, output: 12 })
  expect(fittingLengths({ output: 100 }, 128)).toEqual({ input: 12, output: 100 })
  expect(fittingLengths({ input: 1000, output: 500 }, 128)).toEqual({ input: 1000, output: 500 })
})

property.prop([fc.integer({ min: 1, max: 1_000_000 })])(
  'default lengths are at least one token and fit every context they can',
  (context) => {
    const { input, output } = fittingLengths({}, context)
    expect(Math.min(input, output)).toBeGreaterThanOrEqual(1)
    expect(input + output).toBeLessThanOrEqual(Math.max(2, context - 16))
  },
)

test('lengths that do not fit are halved until nothing is left to shorten', () => {
  expect(shorterLengths({ input: 256, output: 64 }, {})).toEqual({ input: 128, output: 32 })
  expect(shorterLengths({ input: 256, output: 64 }, { input: 256 })).toEqual({ input: 256, output: 32 })
  expect(shorterLengths({ input: 256, output: 64 }, { input: 256, output: 64 })).toBeUndefined()
  expect(shorterLengths({ input: 1, output: 1 }, {})).toBeUndefined()
})

test('a note says what was shortened', () => {
  expect(lengthsNote({ input: 256, output: 64 }, {})).toEqual([])
  expect(lengthsNote({ input: 40, output: 20 }, { input: 40 })).toEqual([
    'answers of 20 instead of 64: longer ones do not fit the context of the model',
  ])
})

test('the number of words matches the tokens that the tokenizer of the model makes', () => {
  const words = (perWord: number, base: number): number =>
    promptOf({ model: 'm', lengths: { input: 100, output: 1 }, tokenization: { base, perWord } }, 7).messages[0]?.content.split('law')
      .length ?? 0
  expect([words(1, 0), words(4, 20), words(4, 500)]).toEqual([101, 21, 2])
})
