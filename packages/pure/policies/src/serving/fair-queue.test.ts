import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'
import { maxMinShares } from './max-min-shares.ts'

describe('max-min shares', () => {
  for (const [what, demands, capacity, shares] of [
    [
      'enough for all',
      [
        [2, 1],
        [3, 1],
      ],
      10,
      [2, 3],
    ],
    [
      'small demands met, the rest level',
      [
        [2, 1],
        [8, 1],
        [10, 1],
      ],
      12,
      [2, 5, 5],
    ],
    [
      'by weight',
      [
        [10, 3],
        [10, 1],
      ],
      8,
      [6, 2],
    ],
    ['no demands', [], 5, []],
  ] as const)
    test(what, () =>
      expect(
        maxMinShares(
          demands.map(([wants, weight]) => ({ wants, weight })),
          capacity,
        ),
      ).toEqual(shares),
    )
  property.prop([fc.array(fc.record({ wants: fc.nat(100), weight: fc.integer({ min: 1, max: 9 }) })), fc.nat(300)])(
    'never more than requested, never more than there is, nothing left while a demand is unmet',
    (demands, capacity) => {
      const shares = maxMinShares(demands, capacity)
      const given = shares.reduce((sum, share) => sum + share, 0)
      const wanted = demands.reduce((sum, { wants }) => sum + wants, 0)
      expect(shares.every((share, index) => share <= (demands[index]?.wants ?? 0) + 1e-9)).toBe(true)
      expect(given).toBeCloseTo(Math.min(capacity, wanted))
    },
  )
})

const ticket = (tenant: string, weight = 1, priority = 0) => ({ tenant, weight, priority })

test('one who floods the queue gets his share and no more', () => {
  const queue = new FairQueue<string>()
  for (let index = 0; index < 1000; index += 1) queue.push('noisy', ticket('noisy'))
  for (let index = 0; index < 100; index += 1) queue.push('quiet', ticket('quiet'))
  const served = { noisy: 0, quiet: 0 }
  for (let index = 0; index < 100; index += 1) {
    const tenant = queue.shift() === 'noisy' ? 'noisy' : 'quiet'
    served[tenant] += 1
    queue.charge(ticket(tenant), 10)
  }
  expect(served).toEqual({ noisy: 50, quiet: 50 })
})

test('shares follow weights, costs and priority', () => {
  const queue = new FairQueue<string>()
  for (let index = 0; index < 400; index += 1) {
    queue.push('heavy', ticket('heavy', 3))
    queue.push('light', ticket('light', 1))
  }
  const served: string[] = []
  for (let index = 0; index < 400; index += 1) {
    const tenant = queue.shift() ?? ''
    served.push(tenant)
    queue.charge(ticket(tenant), 10)
  }
  expect(served.filter((one) => one === 'heavy')).toHaveLength(300)
  queue.push('urgent', ticket('late', 1, 5))
  expect(queue.shift()).toBe('urgent')
})

test('idleness is not saved up', () => {
  const queue = new FairQueue<string>()
  queue.push('back', ticket('back'))
  queue.shift()
  for (let index = 0; index < 200; index += 1) queue.push('busy', ticket('busy'))
  for (let index = 0; index < 100; index += 1) queue.charge(ticket(queue.shift() ?? ''), 10)
  for (let index = 0; index < 100; index += 1) queue.push('back', ticket('back'))
  const next = Array.from({ length: 20 }, () => {
    const tenant = queue.shift() ?? ''
    queue.charge(ticket(tenant), 10)
    return tenant
  })
  expect(next.filter((tenant) => tenant === 'back')).toHaveLength(10)
})

test('an item that may not go keeps only its own line', () => {
  const queue = new FairQueue<string>()
  queue.push('a1', ticket('a'))
  queue.push('b1', ticket('b'))
  expect(queue.shift((item) => item !== 'a1')).toBe('b1')
  expect(queue.shift((item) => item !== 'a1')).toBeUndefined()
  expect(queue.remove('a1', ticket('a'))).toBe(true)
  expect(queue.remove('a1', ticket('a'))).toBe(false)
  expect(queue.length).toBe(0)
})
