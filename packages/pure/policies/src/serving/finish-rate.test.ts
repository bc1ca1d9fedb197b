import { expect, test } from 'vitest'
import { finishRateAfter, observeFor_s } from './finish-rate.ts'

const after = (rate: number, finished: number, isWaiting: boolean) => finishRateAfter(rate, { finished, elapsed_s: 1, isWaiting })

test('an idle hour says nothing about how fast replicas are', () => {
  let rate = 5000
  for (let second = 0; second < 3600; second += 1) rate = after(rate, 3, false)
  expect(rate).toBe(5000)
})

test('while requests wait it follows, down as well', () => {
  let rate = 5000
  for (let second = 0; second < 60; second += 1) rate = after(rate, 1000, true)
  expect(rate).toBeGreaterThan(1000)
  expect(rate).toBeLessThan(1020)
})

test('more than was thought counts always, and what little traffic finished is no rate', () => {
  expect(after(100, 2000, false)).toBeGreaterThan(200)
  expect(after(0, 3, false)).toBe(0)
  expect(after(0, 800, true)).toBe(800)
  expect([observeFor_s(0, true), observeFor_s(0, false), observeFor_s(9, true)]).toEqual([10, 1, 1])
})
