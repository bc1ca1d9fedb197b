import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { dataOrder, type OrderPlan, type Placed } from './data-order.ts'

const NAMES = ['web', 'code', 'books', 'mathematics', 'talk']
const digest = 'a'.repeat(64)

type Phase = OrderPlan['phases'][number]

const shares = fc
  .record({
    sources: fc.subarray(NAMES, { minLength: 1 }),
    weights: fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: NAMES.length, maxLength: NAMES.length }),
  })
  .map(({ sources, weights }) => sources.map((source, index) => ({ source, weight: weights[index] ?? 1 })))

/** Phases one behind the other, the last open or not. */
const phases = fc
  .record({
    parts: fc.array(fc.record({ length: fc.integer({ min: 1, max: 300 }), sources: shares }), { minLength: 1, maxLength: 5 }),
    open: fc.boolean(),
  })
  .map(({ parts, open }) => {
    let until = 0
    return parts.map(({ length, sources }, index): Phase => {
      until += length
      return open && index === parts.length - 1 ? { sources } : { until, sources }
    })
  })

const plan = fc.record({
  seed: fc.nat(),
  sources: fc.tuple(...NAMES.map((name) => fc.integer({ min: 1, max: 90 }).map((samples) => ({ name, samples, digest })))),
  phases,
})

const END = 600
function placedUntil(given: OrderPlan, end = END): readonly Placed[] {
  const order = dataOrder(given)
  const placed: Placed[] = []
  for (let position = 0; position < end; position += 1) {
    const found = order.at(position)
    if (found === undefined) break
    placed.push(found)
  }
  return placed
}

const before = (positions: Iterable<number>, end: number): readonly number[] => {
  const found: number[] = []
  for (const position of positions) {
    if (position >= end) break
    found.push(position)
  }
  return found
}

property.prop([plan])('the inverse names exactly the positions that show a sample', (given) => {
  const placed = placedUntil(given)
  const order = dataOrder(given)
  const shown = new Map<string, number[]>()
  for (const [position, { source, sample }] of placed.entries()) {
    const key = `${source} ${sample}`
    shown.set(key, [...(shown.get(key) ?? []), position])
  }
  for (const { name, samples } of given.sources)
    for (let sample = 0; sample < samples; sample += 7) {
      const expected = shown.get(`${name} ${sample}`) ?? []
      expect(before(order.positionsOf(name, sample), placed.length)).toEqual(expected)
      if (expected.length > 0) expect(order.firstPosition(name, sample)).toBe(expected[0])
    }
})

property.prop([plan])('the counter of a source goes on across phases without a gap, and every epoch shows every sample once', (given) => {
  const bySource = Map.groupBy(placedUntil(given), ({ source }) => source)
  for (const { name, samples } of given.sources) {
    const own = bySource.get(name) ?? []
    expect(own.map(({ k }) => k)).toEqual(own.keys().toArray())
    for (let start = 0; start + samples <= own.length; start += samples) {
      const epoch = own.slice(start, start + samples)
      expect(new Set(epoch.map(({ sample }) => sample)).size).toBe(samples)
      expect(epoch.every((each) => each.epoch === start / samples)).toBe(true)
    }
  }
})

property.prop([plan])('the counts of any part of a phase are within half a sample per halving of the weights', (given) => {
  const placed = placedUntil(given)
  const order = dataOrder(given)
  for (const [number, phase] of given.phases.entries()) {
    const start = placed.findIndex((each) => each.phase === number)
    const total = phase.sources.reduce((sum, { weight }) => sum + weight, 0)
    for (const { source, weight } of phase.sources) {
      let count = 0
      for (const [index, each] of placed.slice(start).entries()) {
        if (start < 0 || each.phase !== number) break
        expect(order.taken(source, start + index) - order.taken(source, start)).toBe(count)
        expect(Math.abs(count - (index * weight) / total)).toBeLessThanOrEqual(Math.ceil(Math.log2(NAMES.length)) / 2)
        if (each.source === source) count += 1
      }
    }
  }
})

property.prop([plan, shares, fc.nat({ max: END })])('other phases from a position on change nothing before it', (given, sources, cut) => {
  const earlier = given.phases.filter(({ until }) => until !== undefined && until <= cut)
  const current = given.phases[earlier.length]
  const begin = earlier.at(-1)?.until ?? 0
  const kept = current && cut > begin ? [...earlier, { ...current, until: cut }] : earlier
  const changed = { ...given, phases: [...kept, { sources }] }
  const end = Math.min(cut, placedUntil(given).length)
  expect(placedUntil(changed, end)).toEqual(placedUntil(given, end))
})

test('ten billion samples are ordered at once, far positions as well as near ones', () => {
  const order = dataOrder({
    seed: 1,
    sources: [
      { name: 'web', samples: 1e10, digest },
      { name: 'code', samples: 3e9, digest },
    ],
    phases: [
      { until: 5e9, sources: [{ source: 'web', weight: 1 }] },
      {
        sources: [
          { source: 'web', weight: 7 },
          { source: 'code', weight: 3 },
        ],
      },
    ],
  })
  for (const position of [0, 4_999_999_999, 5e9, 123_456_789_012, 4e11]) {
    const { source, sample, epoch } = order.at(position) ?? expect.fail(`nothing at ${position}`)
    const positions = before(order.positionsOf(source, sample), position + 1)
    expect(positions.at(-1)).toBe(position)
    expect(positions).toHaveLength(epoch + 1)
  }
  expect(order.taken('code', 5e9 + 1e9)).toBe(3e8)
})

test('behind the end there is nothing', () => {
  const order = dataOrder({
    seed: 1,
    sources: [{ name: 'web', samples: 4, digest }],
    phases: [{ until: 3, sources: [{ source: 'web', weight: 1 }] }],
  })
  expect(order.at(2)).toBeDefined()
  expect(order.at(3)).toBeUndefined()
  expect(() => order.at(-1)).toThrow('there is no position -1')
  expect(() => order.firstPosition('wbe', 1)).toThrow('the order has no source "wbe"; it has web')
})
