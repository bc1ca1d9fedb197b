import { expect, test } from 'vitest'
import { fieldRows } from './field-rows.ts'

test('only what differs, in words, with the ratio of numbers', () => {
  expect(fieldRows({ a: { b: 2, c: 'same' }, d: [1] }, { a: { b: 3, c: 'same' }, e: 'new' })).toEqual([
    { name: 'a: b', path: 'a.b', left: '2', right: '3', ratio: 1.5 },
    { name: 'd', path: 'd', left: '[1]', right: '–' },
    { name: 'e', path: 'e', left: '–', right: 'new' },
  ])
})
