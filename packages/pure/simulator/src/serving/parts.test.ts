import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { RandomStream } from '../kernel/random-stream.ts'
import { AdapterSlots } from './adapter-slots.ts'
import { BlockPool } from './block-pool.ts'
import { BlockWheel } from './block-wheel.ts'
import { DecodeRun } from './decode-run.ts'
import { EndHeap } from './end-heap.ts'
import { gammaDraw } from './gamma-draw.ts'
import { LogHistogram } from './log-histogram.ts'
import { PrefixCache } from './prefix-cache.ts'
import { newArrivingRequest, RequestTable } from './request-table.ts'
import { SlotList } from './slot-list.ts'
import { meanGain, stepsFor } from './speculation.ts'
import { emptyLoad, linearCost, scaledCost } from './step-cost.ts'

describe('end heap', () => {
  property.prop([fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.boolean()), { maxLength: 300 })])(
    'gives the earliest end, whatever was removed',
    (steps) => {
      const table = new RequestTable()
      const heap = new EndHeap(table)
      const slots: number[] = []
      for (const [end, remove] of steps) {
        if (remove && slots.length > 0) heap.remove(slots.splice(end % slots.length, 1)[0] ?? 0)
        else {
          const slot = table.take(newArrivingRequest())
          table.ends[slot] = end
          heap.push(slot)
          slots.push(slot)
        }
        expect(heap.size).toBe(slots.length)
        if (slots.length > 0) expect(table.ends[heap.first]).toBe(Math.min(...slots.map((slot) => table.ends[slot]!)))
      }
    },
  )
})

describe('block wheel', () => {
  const requests = fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 20 })
  property.prop([requests, fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 90 })])(
    'counts what each request would need by itself',
    (untils, from, count, blocks) => {
      const wheel = new BlockWheel(16)
      for (const until of untils) wheel.add(7, until)
      const needed = (steps: number): number => untils.reduce((sum, until) => sum + wheel.blocksAfter(steps, until), 0)
      expect(wheel.blocksOver(7 + from, count)).toBe(needed(from + count) - needed(from))
      const lasting = wheel.stepsCovered(7 + from, { blocks, most: count })
      expect(wheel.blocksOver(7 + from, lasting)).toBeLessThanOrEqual(blocks)
      if (lasting < count) expect(wheel.blocksOver(7 + from, lasting + 1)).toBeGreaterThan(blocks)
    },
  )
})

describe('decode run', () => {
  property.prop([fc.integer({ min: 2, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true })])(
    'ends with the step that is under way',
    (steps, share) => {
      const run = new DecodeRun()
      run.begin(10, steps, { first: 0.01, last: 0.02 })
      const sum = Array.from({ length: steps }, (_, step) => 0.01 + (0.01 * step) / (steps - 1)).reduce((a, b) => a + b, 0)
      expect(run.end).toBeCloseTo(10 + sum, 9)
      const now = 10 + share * (run.end - 10)
      run.cut(now)
      expect(run.end).toBeGreaterThanOrEqual(now - 1e-12)
      if (run.steps > 1) expect(run.after(run.steps - 1)).toBeLessThan(now)
    },
  )
})

describe('slot list', () => {
  test('puts urgent requests before the rest, and preempted ones before their equals', () => {
    const table = new RequestTable()
    const list = new SlotList(table)
    const slots = [1, 0, 1, 0, 2].map((priority) => table.take({ ...newArrivingRequest(), priority }))
    for (const slot of slots) list.enqueue(slot)
    const order = (): number[] => {
      const seen: number[] = []
      for (let slot = list.first; slot !== -1; slot = table.next[slot]!) seen.push(slots.indexOf(slot))
      return seen
    }
    expect(order()).toEqual([1, 3, 0, 2, 4])
    list.remove(slots[2]!)
    list.enqueueFirst(slots[2]!)
    expect(order()).toEqual([1, 3, 2, 0, 4])
    expect(list.leastUrgent()).toBe(slots[4])
  })
})

describe('request table', () => {
  test('keeps every column when it grows, and uses slots again', () => {
    const table = new RequestTable()
    const slots = Array.from({ length: 3000 }, (_, at) => table.take({ ...newArrivingRequest(), at, prompt: at + 1 }))
    expect(slots.every((slot, at) => table.at[slot] === at && table.prompt[slot] === at + 1 && table.serial[slot] === at)).toBe(true)
    table.giveBack(slots[17]!)
    expect(table.take(newArrivingRequest())).toBe(slots[17])
    expect(table.inFlight).toBe(3000)
  })
})

describe('prefix cache', () => {
  test('keeps what is used, and evicts the deepest of the oldest first', () => {
    const cache = new PrefixCache({ hashes: Int32Array.of(1, 2, 3, 1, 2, 9), blocksPerPart: 2 })
    expect(cache.keep(0, { held: 0, count: 3 })).toBe(3)
    expect(cache.matching(3, 3)).toBe(2)
    cache.use(3, 2)
    cache.release(0, 3)
    expect([cache.idle, cache.idleAmong(0, 3)]).toEqual([1, 1])
    cache.release(3, 2)
    cache.evict()
    expect(cache.matching(0, 3)).toBe(2)
    cache.evict()
    expect(cache.matching(0, 3)).toBe(1)
    expect(cache.parts).toBe(1)
  })

  test('leaves a copy that another request computed meanwhile to its owner', () => {
    const cache = new PrefixCache({ hashes: Int32Array.of(1, 2), blocksPerPart: 1 })
    expect(cache.keep(0, { held: 0, count: 2 })).toBe(2)
    expect(cache.keep(0, { held: 0, count: 2 })).toBe(0)
  })
})

describe('block pool', () => {
  const pool = () => {
    const prefixes = new PrefixCache({ hashes: Int32Array.of(1, 2), blocksPerPart: 2 })
    const made = new BlockPool(20, prefixes)
    made.take(4)
    prefixes.keep(0, { held: 0, count: 2 })
    prefixes.release(0, 2)
    made.take(9)
    made.give(9)
    made.keep(7, 5)
    made.keep(8, 4)
    return made
  }

  test('takes what preempted requests left, the oldest first, before prefixes', () => {
    const blocks = pool()
    expect([blocks.free, blocks.available]).toEqual([7, 20])
    blocks.take(10)
    expect([blocks.recall(7), blocks.recall(8), blocks.prefixes?.parts]).toEqual([2, 4, 2])
    expect([blocks.free, blocks.available]).toEqual([0, 4])
    blocks.take(3)
    expect([blocks.free, blocks.available]).toEqual([1, 1])
  })

  test('has all of it again when it is cleared', () => {
    const blocks = pool()
    blocks.clear()
    expect([blocks.free, blocks.available, blocks.recall(7), blocks.prefixes?.parts]).toEqual([20, 20, 0, 0])
  })
})

describe('adapter slots', () => {
  test('load once, and evict only unused ones', () => {
    const slots = new AdapterSlots(2)
    expect([slots.use(5), slots.use(6), slots.use(5)]).toEqual([true, true, false])
    expect([slots.fits(7), slots.fits(0), slots.fits(6)]).toEqual([false, true, true])
    slots.release(6)
    expect(slots.use(7)).toBe(true)
  })
})

describe('log histogram', () => {
  test('has quantiles within half a percent', () => {
    const histogram = new LogHistogram()
    for (let value = 1; value <= 10_000; value += 1) histogram.add(value / 1000)
    for (const share of [0.1, 0.5, 0.9, 0.99]) expect(Math.abs(histogram.quantile(share) / (10 * share) - 1)).toBeLessThan(0.005)
    expect(histogram.mean).toBeCloseTo(5.0005, 9)
    expect(histogram.parts(10).reduce((sum, { values }) => sum + values, 0)).toBe(10_000)
  })
})

describe('draws', () => {
  for (const shape of [0.1, 0.5, 1, 4])
    test(`gamma of shape ${shape} has mean 1 and variance ${1 / shape}`, () => {
      const random = new RandomStream([9])
      const values = Array.from({ length: 200_000 }, () => gammaDraw(random, shape))
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
      expect(Math.abs(mean - 1)).toBeLessThan(0.03)
      expect(Math.abs(variance * shape - 1)).toBeLessThan(0.05)
    })

  test('speculation makes its mean gain', () => {
    const speculation = { drafted: 4, acceptance: 0.8, draft_s: 0 }
    expect(meanGain(speculation)).toBeCloseTo(3.3616, 4)
    expect(Math.abs(100_000 / stepsFor(speculation, 100_000, new RandomStream([2])) / 3.3616 - 1)).toBeLessThan(0.01)
  })
})

describe('step cost', () => {
  const cost = linearCost({ step_s: 1, prefillToken_s: 2, prefillPair_s: 0, decodeSequence_s: 3, decodeKey_s: 4 })
  test('factors hold decoding and prompts apart', () => {
    const load = { ...emptyLoad(), prefillSequences: 1, prefillTokens: 10, decodeSequences: 5, decodeKeys: 7 }
    expect(scaledCost(cost, { decode: 2, prefill: 10 })(load)).toBe(2 * (1 + 15 + 28) + 10 * 20)
  })
})
