import { expect, test } from 'vitest'
import { extent, linearTicks, scaleOf } from './scale.ts'

test('ticks are round and inside', () => {
  expect(linearTicks([0, 10], 5)).toEqual([0, 2, 4, 6, 8, 10])
  expect(linearTicks([13.2, 17.9], 4)).toEqual([14, 16])
  expect(scaleOf({ kind: 'log', domain: [1, 1e6], range: [0, 1], ticks: 7 }).ticks).toEqual([1, 10, 100, 1000, 1e4, 1e5, 1e6])
  expect(scaleOf({ kind: 'log', domain: [12, 170], range: [0, 1], ticks: 2 }).ticks).toEqual([20, 50, 100])
  expect(scaleOf({ kind: 'log', domain: [3, 30], range: [0, 1], ticks: 5 }).ticks).toEqual([5, 10, 20])
})

test('marks of time stand where clocks have theirs', () => {
  const at = Date.UTC(2026, 0, 1, 21, 1) / 1000
  const { ticks } = scaleOf({ kind: 'time', domain: [at, at + 1800], range: [0, 1], ticks: 4 })
  expect(ticks.map((tick) => new Date(1000 * tick).toISOString().slice(11, 16))).toEqual(['21:10', '21:20', '21:30'])
})

test('a pixel leads back to its value', () => {
  const scale = scaleOf({ kind: 'log', domain: [1, 1e4], range: [10, 410], ticks: 4 })
  expect(scale(100)).toBeCloseTo(210)
  expect(scale.back(scale(37))).toBeCloseTo(37)
})

test('an extent has room on both sides, also around one value', () => {
  expect(extent([10, 20], { kind: 'linear', room: 0.1 })).toEqual([9, 21])
  const [low, high] = extent([5], { kind: 'log', room: 0.1 })
  expect(low < 5 && high > 5).toBe(true)
})
