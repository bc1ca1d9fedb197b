import { describe, expect, test } from 'vitest'
import { type DrainCase, drainDecision } from './drain-policy.ts'

const NOW = 1_000_000
const suspicionBy = (run: string, over: { readonly at?: number; readonly confirmed?: boolean } = {}) => ({
  run,
  at: NOW - 60,
  confirmed: false,
  ...over,
})
const decisionFor = (over: Partial<DrainCase>) =>
  drainDecision({ now: NOW, suspicions: [suspicionBy('a'), suspicionBy('b')], fleet: 100, drainedAt: [], ...over })

describe('a node is drained', () => {
  for (const [what, over] of [
    ['when two runs suspect it', {}],
    [
      'when one run suspects it twice and the executor agreed once',
      { suspicions: [suspicionBy('a'), suspicionBy('a', { confirmed: true })] },
    ],
    ['when it is the only one of a small fleet', { fleet: 2 }],
    ['when earlier drains are more than an hour old', { drainedAt: [1, 2, 3, 4, 5].map((hours) => NOW - hours * 3600) }],
  ] as const)
    test(what, () => expect(decisionFor(over)).toEqual({ do: 'drain' }))
})

describe('a node is kept', () => {
  for (const [what, over, why] of [
    ['at the first suspicion', { suspicions: [suspicionBy('a', { confirmed: true })] }, 'suspected 1 time, drained after 2'],
    [
      'on the word of one run, however often',
      { suspicions: Array.from({ length: 50 }, () => suspicionBy('a')) },
      'only one run suspects it',
    ],
    [
      'when the other suspicion is long ago',
      { suspicions: [suspicionBy('b', { at: NOW - 30 * 86_400 }), suspicionBy('a')] },
      'suspected 1 time',
    ],
    ['when the ration of the hour is used up', { drainedAt: [1, 2, 3, 4].map((minutes) => NOW - minutes * 60) }, 'within the hour'],
    ['when a tenth of the fleet is drained', { fleet: 20, drainedAt: [NOW - 9e5, NOW - 9e5] }, '2 of 20 nodes are drained, the limit is 2'],
    ['when the executor could not be asked for its nodes and one is drained', { fleet: 0, drainedAt: [NOW - 9e5] }, 'the limit is 1'],
  ] as const)
    test(what, () => expect(decisionFor(over)).toEqual({ do: 'keep', why: expect.stringContaining(why) }))
})
