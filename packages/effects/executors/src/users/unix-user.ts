// Unix users that jobs may run as: a fixed list, chosen by whoever starts the control plane.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Refused } from '../answers.ts'
import type { JobSpec } from '../job-spec.ts'

export type UnixUser = { readonly name: string; readonly uid: number; readonly gid: number; readonly home: string; readonly shell: string }

/** By name. */
export type JobUsers = ReadonlyMap<string, UnixUser>

export const NO_USERS: JobUsers = new Map()

/** Below these are the accounts of the system itself (UID_MIN of login.defs). */
const FIRST_PERSON = 1000

/** As the system's own databases say, LDAP among them; undefined where there is no such user. */
export function findUnixUser(name: string): UnixUser | undefined {
  if (!/^[A-Za-z_][\w.@-]*$/.test(name)) return undefined
  try {
    const line = execFileSync('getent', ['passwd', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const [found = '', , uid = '', gid = '', , home = '/', shell = '/bin/sh'] = line.trim().split(':')
    return found === name ? { name, uid: Number(uid), gid: Number(gid), home, shell } : undefined
  } catch (cause) {
    // Status 2: no such name.
    if (cause instanceof Error && 'status' in cause && cause.status === 2) return undefined
    throw cause
  }
}

/** Why jobs must not run as this user. An account of the system is taken only together with its number, which nobody writes by mistake. */
export function userProblem({ name, uid, gid }: UnixUser, listedUid?: number): string | undefined {
  if (uid === 0 || gid === 0) return `"${name}" is root or of its group, and no job may be`
  if (listedUid !== undefined && listedUid !== uid) return `"${name}" has the uid ${uid}, not ${listedUid}`
  if (uid < FIRST_PERSON && listedUid === undefined)
    return `"${name}" is an account of the system (uid ${uid}); write ${name}:${uid} if jobs shall run as it`
  return undefined
}

export function userRefusal({ user }: JobSpec, users: JobUsers): Refused | undefined {
  if (user === undefined) return undefined
  const found = users.get(user.name)
  const refused = (reason: string): Refused => ({ answer: 'refused', field: 'user', reason })
  if (found === undefined) return refused(`jobs may not run as "${user.name}"; an administrator can add it to --job-users of "ironlaw up"`)
  if (!canBecome(found))
    return refused(
      `the control plane cannot start jobs as "${user.name}": it is neither root nor may it change its user (CAP_SETUID, CAP_SETGID)`,
    )
  return undefined
}

export const canBecome = ({ uid }: Pick<UnixUser, 'uid'>): boolean => process.getuid?.() === uid || isPrivileged()

const CAP_SETGID = 1n << 6n
const CAP_SETUID = 1n << 7n

/** Root, or a service with the ambient capabilities to change its user, which every command that it starts inherits. */
export function isPrivileged(): boolean {
  if (process.getuid?.() === 0) return true
  const [, ambient = '0'] = /^CapAmb:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  const needed = CAP_SETUID | CAP_SETGID
  return (BigInt(`0x${ambient}`) & needed) === needed
}
