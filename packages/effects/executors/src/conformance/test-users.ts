// Two Unix users for a test that runs as root, each with a folder that only it can enter. They are removed with all that they run.

import { execFileSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findUnixUser, type JobUsers, type UnixUser } from '../users/unix-user.ts'

export type TestUsers = {
  readonly names: readonly [string, string]
  readonly users: JobUsers
  /** Traversable by all, listed by nobody. */
  readonly folder: string
  readonly folderOf: (name: string) => string
  readonly remove: () => void
}

/** Undefined where this process may not make users. */
export function makeTestUsers(): TestUsers | undefined {
  if (process.getuid?.() !== 0) return undefined
  const mark = randomBytes(3).toString('hex')
  const names = [`ironlaw-test-a-${mark}`, `ironlaw-test-b-${mark}`] as const
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-users-'))
  chmodSync(folder, 0o711)
  const folderOf = (name: string): string => join(folder, name)
  const users = new Map(names.map((name) => [name, makeUser(name, folderOf(name))]))
  const remove = (): void => {
    for (const name of names) retried(() => execFileSync('userdel', ['--force', name], { stdio: 'pipe' }))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return { names, users, folder, folderOf, remove }
}

export const pidsOf = (uid: number): readonly string[] =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statSync(join('/proc', name), { throwIfNoEntry: false })?.uid === uid)

function makeUser(name: string, home: string): UnixUser {
  // Not the next free one: a process of a user that was removed could have it still, and is no process of this test.
  const identity = ['--uid', String(randomInt(LOWEST_UID, HIGHEST_UID)), '--no-create-home', '--home-dir', home, '--shell', '/bin/sh']
  retried(() => execFileSync('useradd', [...identity, name], { stdio: 'pipe' }))
  const user = findUnixUser(name)
  if (user === undefined) throw new Error(`useradd made no ${name}`)
  mkdirSync(home, { mode: 0o700 })
  chownSync(home, user.uid, user.gid)
  return user
}

const TRIES = 100
const LOWEST_UID = 10_000
const HIGHEST_UID = 30_000

/** Another process may hold the lock of the password file for a moment. */
function retried(act: () => unknown): void {
  for (let tries = 1; ; tries += 1) {
    try {
      act()
      return
    } catch (cause) {
      if (tries >= TRIES || !String(cause).includes('lock')) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
}
