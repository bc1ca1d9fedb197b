import { expect, test } from 'vitest'
import { inShort } from './event-list.tsx'

test.each([
  ['the words of an event', { rank: 2, why: 'vm fell silent' }, 'vm fell silent'],
  ['its plain fields where it has none', { rank: 2, code: null, signal: 9, tail: '', at: 1794779813.9059446 }, 'rank 2, signal 9'],
  ['nothing of an empty one', {}, ''],
])('%s', (_, body, text) => {
  expect(inShort(body)).toBe(text)
})
