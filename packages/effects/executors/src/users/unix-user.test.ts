import { expect, test } from 'vitest'
import { findUnixUser, userProblem } from './unix-user.ts'

const user = (uid: number, gid = uid) => ({ name: 'someone', uid, gid, home: '/', shell: '/bin/sh' })

test('users are those of the system, by their exact name', () => {
  expect(findUnixUser('root')).toMatchObject({ name: 'root', uid: 0, gid: 0 })
  expect([findUnixUser('0'), findUnixUser('no-such-user'), findUnixUser('--help'), findUnixUser('')]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  [user(1000), undefined, undefined],
  [user(501), 501, undefined],
  [user(0), 0, 'is root'],
  [user(1000, 0), undefined, 'is root or of its group'],
  [user(501), undefined, 'write someone:501'],
  [user(1000), 1001, 'has the uid 1000, not 1001'],
])('%o listed with uid %s', (found, listed, problem) => {
  if (problem === undefined) expect(userProblem(found, listed)).toBeUndefined()
  else expect(userProblem(found, listed)).toContain(problem)
})
