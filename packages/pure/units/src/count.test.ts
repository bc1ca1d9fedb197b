import { expect, test } from 'vitest'
import { counted } from './count.ts'

test.each([
  [1, '1 node'],
  [0, '0 nodes'],
  [0.6, '1 node'],
  [2048, '2,048 nodes'],
])('%d as words', (value, words) => {
  expect(counted(value, 'node')).toBe(words)
})

test('a plural of its own', () => {
  expect(counted(3, 'legal strategy', 'legal strategies')).toBe('3 legal strategies')
  expect(counted(1, 'legal strategy', 'legal strategies')).toBe('1 legal strategy')
})
