import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { dataOrder, type OrderPlan } from './data-order.ts'
import { orderEnd, phaseMixtures } from './phase-mixture.ts'

const digest = '0'.repeat(64)
const plan: OrderPlan = {
  seed: 1,
  sources: [
    { name: 'web', samples: 100, digest },
    { name: 'code', samples: 10, digest },
  ],
  phases: [
    {
      until: 40,
      sources: [
        { source: 'web', weight: 3 },
        { source: 'code', weight: 1 },
      ],
    },
    { sources: [{ source: 'web', weight: 1 }] },
  ],
}

test('a phase says what it takes of each source, and how often a source was gone through by its end', () => {
  expect(phaseMixtures(plan, 60)).toEqual([
    {
      start: 0,
      end: 40,
      isCut: false,
      shares: [
        { source: 'web', share: 0.75, samples: 30, epochs: 0.3 },
        { source: 'code', share: 0.25, samples: 10, epochs: 1 },
      ],
    },
    { start: 40, end: 60, isCut: true, shares: [{ source: 'web', share: 1, samples: 20, epochs: 0.5 }] },
  ])
  expect(phaseMixtures(plan, 40)).toHaveLength(1)
})

test('an order without end is shown until its last phase has shown everything once', () => {
  expect(orderEnd(plan)).toBe(110)
  expect(orderEnd({ ...plan, phases: [{ until: 7, sources: [{ source: 'web', weight: 1 }] }] })).toBe(7)
  const repeated: OrderPlan = {
    ...plan,
    phases: [{ until: 10, sources: [{ source: 'code', weight: 1 }] }, { sources: [{ source: 'code', weight: 1 }] }],
  }
  expect(orderEnd(repeated)).toBe(20)
})

test.prop([fc.integer({ min: 1, max: 200 })])(
  'the samples of all phases are the positions, each of the source that the order has there',
  (until) => {
    const order = dataOrder(plan)
    const counts = new Map<string, number>()
    for (let position = 0; position < until; position += 1) {
      const source = order.at(position)?.source ?? ''
      counts.set(source, (counts.get(source) ?? 0) + 1)
    }
    const sums = new Map<string, number>()
    for (const { shares } of phaseMixtures(plan, until))
      for (const { source, samples } of shares) if (samples > 0) sums.set(source, (sums.get(source) ?? 0) + samples)
    expect(Object.fromEntries(sums)).toEqual(Object.fromEntries(counts))
  },
)
