import { expect, test } from 'vitest'
import { placementAnswer } from './placement.ts'
import { worthAnswer, type WorthFlags } from './worth.ts'

const FLAGS: WorthFlags = { keep: '30 %', epochs: '1', proxy: '125M', proxyEpochs: '0', scorings: '1', efficiency: '40 %' }
const worth = (flags: Partial<WorthFlags>) => worthAnswer(undefined, { ...FLAGS, model: '7B', tokens: '200B', ...flags })

test('a selection within the rules has exit status 0, one that takes too much of training 3 and what would meet them', () => {
  expect(worth({}).exit).toBeUndefined()
  expect(worth({ proxy: '1B', proxyEpochs: '1' })).toMatchObject({
    exit: 3,
    json: { passes: false, broken: ['overhead'] },
    violation: {
      problem: expect.stringContaining('selecting takes 63 % of training'),
      next: expect.stringContaining('a proxy of at most 157M'),
    },
  })
})

test('one that takes longer than training on everything says so', () => {
  expect(worth({ proxy: '70B' })).toMatchObject({ exit: 3, json: { broken: ['slower', 'overhead'] } })
  expect(worth({ proxy: '70B' }).text()).toContain('it does not pay')
})

test('a model by name counts what a token passes through', () => {
  expect((worth({ model: 'DeepSeek-V3' }).json as { params: number }).params).toBeLessThan(40e9)
})

test.each([
  [{ keep: '120 %' }, /--keep/],
  [{ scorings: '0' }, /--scorings/],
  [{ efficiency: 'half' }, /--efficiency/],
  [{ tokens: 'many' }, /--tokens/],
  [{ on: 'abacus' }, /abacus/],
] as const)('%j is refused', (flags, message) => {
  expect(() => worth(flags)).toThrow(message)
})

test('without a spec model and tokens are asked for', () => {
  expect(() => worthAnswer(undefined, FLAGS)).toThrow(/--model and --tokens must be given/)
})

test('where moving is free and cheaper there is no limit to what may be moved', () => {
  const { json, text } = placementAnswer('1 TB', {
    link: '10 Gb/s',
    egress: '0 USD/GB',
    timeHere: '2 h',
    timeThere: '1 h',
    costHere: '10 USD',
    costThere: '5 USD',
  })
  expect(json).toMatchObject({ faster: 'move', cheaper: 'move', break_even: { money_bytes: undefined } })
  expect(text()).toContain('money whatever its size')
})
