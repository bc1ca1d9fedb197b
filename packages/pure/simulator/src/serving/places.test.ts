import { expect, test } from 'vitest'
import { Places } from './places.ts'

/** Three conversations of two parts each. */
const HASHES = Int32Array.of(1, 2, 3, 4, 5, 6)
const PART = 100
const places = (count: number): Places => new Places(count, { hashes: HASHES, partTokens: PART })
const prompt = (conversation: number, hashCount = 2) => ({ hashFirst: 2 * conversation, hashCount, tokens: 250 })

test('a conversation that comes back finds its place, and one that is still running does not', () => {
  const two = places(2)
  expect(two.take(7, prompt(0))).toBe(0)
  expect(two.take(8, prompt(0))).toBe(0)
  two.free(7)
  expect(two.take(9, prompt(0))).toBe(2 * PART)
})

test('as much is found as is alike', () => {
  const one = places(1)
  one.take(1, prompt(1, 1))
  one.free(1)
  expect(one.take(2, prompt(1))).toBe(PART)
  one.free(2)
  expect(one.take(3, prompt(2))).toBe(0)
})

test('the conversations used last stay longest', () => {
  const four = places(4)
  for (const holder of [0, 1, 2]) four.take(holder, prompt(holder))
  for (const holder of [0, 1, 2]) four.free(holder)
  expect(four.take(9, { ...prompt(0), hashFirst: 5, hashCount: 1 })).toBe(0)
  expect(four.take(10, prompt(2))).toBe(2 * PART)
  expect(four.take(11, prompt(1))).toBe(2 * PART)
})

test('a prefix that is little of the prompt is not worth a place, and an engine that is gone has forgotten', () => {
  const one = places(2)
  one.take(1, prompt(0))
  one.free(1)
  expect(one.take(2, { ...prompt(0), tokens: 3000 })).toBe(0)
  one.free(2)
  one.clear()
  expect(one.take(3, prompt(0))).toBe(0)
})
