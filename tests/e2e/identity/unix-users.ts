// Two Unix users for a test, made and removed by it.

import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'

const LOWEST_UID = 30_000
const HIGHEST_UID = 60_000

export type UnixUser = { readonly name: string; readonly uid: number }

export function makeUser(name: string): UnixUser {
  removeUser(name)
  // Not the next free one: a process of a user that was removed could have it still.
  const uid = randomInt(LOWEST_UID, HIGHEST_UID)
  execFileSync('useradd', ['--uid', String(uid), '--no-create-home', '--home-dir', `/nonexistent/${name}`, '--shell', '/bin/sh', name])
  return { name, uid }
}

export function removeUser(name: string): void {
  try {
    execFileSync('userdel', ['--force', name], { stdio: 'ignore' })
  } catch {
    // There was none.
  }
}

/** What a shell command of the user printed, and whether it succeeded. */
export function runAs(user: UnixUser, command: string): { readonly isDone: boolean; readonly text: string } {
  const identity = [`--reuid=${user.uid}`, `--regid=${user.uid}`, '--clear-groups']
  try {
    const text = execFileSync('setpriv', [...identity, 'sh', '-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    return { isDone: true, text }
  } catch (cause) {
    return { isDone: false, text: String(cause) }
  }
}
