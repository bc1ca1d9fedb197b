import { expect, test } from 'vitest'
import { engineSteps } from './engine-steps.ts'

test('tokens become steps: each answer once a step, whatever the gaps', () => {
  const steps = engineSteps([
    { prompt: 10, at_s: 0, tokens_s: [0.1, 0.2, 0.3, 0.4, 0.5] },
    // Comes in the middle of the second step; its first token is out 6 ms before the other's.
    { prompt: 20, at_s: 0.15, tokens_s: [0.294, 0.406, 0.509] },
    { prompt: 5, at_s: 1, tokens_s: [1.1] },
  ])
  const decodeStep = (from_s: number, until_s: number, decodeSequences: number, decodeKeys: number) => ({
    from_s,
    until_s,
    decodeSequences,
    decodeKeys,
  })
  expect(steps).toMatchObject([
    { ...decodeStep(0, 0.1, 0, 0), busy: false, prefillTokens: 10, prefillPairs: 55, begun: [0] },
    { ...decodeStep(0.1, 0.2, 1, 11), busy: true, prefillSequences: 0, begun: [] },
    { ...decodeStep(0.2, 0.3, 1, 12), busy: true, prefillTokens: 20, begun: [1] },
    { ...decodeStep(0.3, 0.406, 2, 13 + 21), busy: true, prefillTokens: 0 },
    { ...decodeStep(0.406, 0.509, 2, 14 + 22), busy: true, prefillTokens: 0 },
    { ...decodeStep(1, 1.1, 0, 0), busy: false, prefillTokens: 5, begun: [2] },
  ])
})

test('nothing is no step', () => expect(engineSteps([{ prompt: 3, at_s: 0, tokens_s: [] }])).toEqual([]))
