import { expect, test } from 'vitest'
import { shortText } from './event-text.ts'

test.each([
  ['the words of an event', { rank: 2, why: 'vm fell silent' }, 'vm fell silent'],
  ['its plain fields where it has none', { rank: 2, code: null, signal: 9, tail: '', at: 1794779813.9059446 }, 'rank 2, signal 9'],
  ['which replica it is about', { replica: 'chat-a6jp1.10', why: 'drained' }, '#10 drained'],
  ['the last line of a long text', { rank: 0, tail: 'step 1\nstep 2\n' }, 'rank 0, tail step 2'],
  ['nothing of an empty one', {}, ''],
])('%s', (_, body, text) => {
  expect(shortText(body)).toBe(text)
})
