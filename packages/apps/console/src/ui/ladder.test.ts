import { expect, test } from 'vitest'
import { binaryLadder, decimalLadder, nearestStep } from './ladder.ts'

test('a binary ladder climbs by multiples of its first step', () => {
  expect(binaryLadder({ from: 8, to: 64, parts: 4 })).toEqual([8, 16, 24, 32, 40, 48, 56, 64])
  expect(binaryLadder({ from: 1024, to: 4096, parts: 1 })).toEqual([1024, 2048, 4096])
})

test('a decimal ladder ends where it should', () => {
  const ladder = decimalLadder({ from: 1e9, to: 30e12 })
  expect([ladder[0], ladder.at(-1), ladder.includes(1.5e12)]).toEqual([1e9, 30e12, true])
})

test('a typed value moves to the nearest step', () => {
  expect(nearestStep([8, 16, 32, 64], 30)).toBe(2)
})
