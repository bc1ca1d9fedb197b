import { IronlawError } from '@ironlaw/contracts'
import { expect, test } from 'vitest'
import { databaseError } from './database-error.ts'

const ADDRESS = 'postgres://ada:secret@db.example/fleet'
const failure = (code: string): Error => Object.assign(new Error('failed'), { code })

test.each([
  ['ECONNREFUSED', 'no server listens there', 'start PostgreSQL'],
  ['28P01', 'the password is wrong', 'correct the user and password'],
  ['3D000', 'there is no database of that name', 'createdb fleet'],
])('%s', (code, reason, next) => {
  const found = databaseError(failure(code), ADDRESS)
  expect(found).toMatchObject({ code: 'IL_DATABASE', next: expect.stringContaining(next) })
  expect(found?.message).toBe(`cannot use the database postgres://ada@db.example/fleet: ${reason}`)
})

test('the password is not printed', () => {
  expect(databaseError(failure('ECONNREFUSED'), ADDRESS)?.message).not.toContain('secret')
})

test('a host with several addresses', () => {
  expect(databaseError(new AggregateError([failure('ECONNREFUSED'), failure('ECONNREFUSED')]), ADDRESS)).toMatchObject({
    code: 'IL_DATABASE',
  })
})

test.each([
  ['PostgreSQL', failure('53100'), ADDRESS],
  ['the database inside', { name: 'ErrnoError', errno: 51 }, 'directory'],
])('a full disk under %s', (_, cause, address) => {
  expect(databaseError(cause, address)).toMatchObject({ code: 'IL_DISK_FULL', next: expect.stringContaining('free some space') })
})

test('what has nothing to do with the server is left as it is', () => {
  expect(databaseError(new TypeError('x'), ADDRESS)).toBeUndefined()
  expect(databaseError(failure('ENOENT'), 'directory')).toBeUndefined()
  expect(databaseError(new IronlawError('IL_CONFLICT', { problem: 'p', next: 'n' }), ADDRESS)).toBeUndefined()
})
