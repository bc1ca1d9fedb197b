import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from './limits.ts'
import { type AttemptEnd, outageOf } from './outage.ts'

const end = (run: string, over: Partial<AttemptEnd> = {}): AttemptEnd => ({
  run,
  cause: 'rank-died',
  endedAt: 990,
  progressed: true,
  ...over,
})
const three = [end('a', { endedAt: 980 }), end('b', { cause: 'job-ended' }), end('c', { cause: 'job-vanished' })]
const outageIn = (ends: readonly AttemptEnd[], active = 4) => outageOf({ now: 1000, ends, active }, DEFAULT_LIMITS)

describe('many runs that fail alike', () => {
  test('three of four that worked and ended within the window are an outage since the first of them', () => {
    expect(outageIn(three)).toEqual({
      since: 980,
      why: '3 runs ended within 300 s: likely a storage or network fault, not a fault of each run',
    })
  })

  test.each([
    ['two runs', three.slice(1)],
    ['one run three times', [end('a'), end('a'), end('a')]],
    ['a sweep with a mistake: none ever took a step', three.map((each) => ({ ...each, progressed: false }))],
    ['unlike failures', [end('a'), end('b', { cause: 'hang' }), end('c', { cause: 'node-lost' })]],
    ['a cause of their own', three.map((each) => ({ ...each, cause: 'bad-loss' as const }))],
    ['long ago', three.map((each) => ({ ...each, endedAt: 100 }))],
  ])('%s are none', (_, ends) => expect(outageIn(ends)).toBeUndefined())

  test('three of a hundred are chance', () => expect(outageIn(three, 100)).toBeUndefined())
})
