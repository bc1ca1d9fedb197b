import { expect, test } from 'vitest'
import { ERRORS, IronlawError } from './error.ts'

test('a message is filled with its values and says what to do next', () => {
  const error = new IronlawError('IL_UNKNOWN_LAW', { id: 'a/b', suggestion: 'did you mean a/c?' })
  expect(error).toMatchObject({ code: 'IL_UNKNOWN_LAW', message: 'there is no law "a/b"', next: 'did you mean a/c?', exit: 1 })
})

test('the cause is kept', () => {
  const cause = new Error('disk')
  expect(new IronlawError('IL_FILE', { path: 'x', reason: 'y' }, { cause }).cause).toBe(cause)
})

test('every entry says something and what to do', () => {
  for (const [code, { message, next }] of Object.entries(ERRORS)) {
    expect(code).toMatch(/^IL_[A-Z_]+$/)
    expect(message.length * next.length, code).toBeGreaterThan(0)
  }
})
