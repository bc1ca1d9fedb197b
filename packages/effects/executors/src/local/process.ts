// A process of this machine that may be gone by now. A look at the dead throws.

import { readFileSync, readdirSync } from 'node:fs'

/** With the boot and the start in ticks since then (field 22 of /proc/pid/stat) a pid is never mistaken for a later process. */
export type Identity = { readonly pid: number; readonly start: string }

type Stat = { readonly state: string; readonly group: number; readonly start: string }

export function identityOf(pid: number): Identity | undefined {
  const stat = statOf(pid)
  return stat === undefined || stat.state === 'Z' ? undefined : { pid, start: stat.start }
}

export const isAlive = ({ pid, start }: Identity): boolean => identityOf(pid)?.start === start

/** Does anyone live of the group that this process leads or led? Zombies do not: who adopted them may never reap them. */
export function isGroupAlive(leader: Identity): boolean {
  if (!leader.start.startsWith(boot())) return false
  // A pid is not given out again while a group of that number exists.
  const successor = statOf(leader.pid)
  if (successor !== undefined && successor.start !== leader.start) return false
  return readdirSync('/proc').some((name) => {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined
    return stat !== undefined && stat.group === leader.pid && stat.state !== 'Z'
  })
}

export function signalGroup(leader: Identity, signal: NodeJS.Signals): void {
  if (isGroupAlive(leader)) unlessDead(() => process.kill(-leader.pid, signal))
}

function statOf(pid: number): Stat | undefined {
  const text = unlessDead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The program's name, in brackets, may itself hold spaces and brackets.
  const fields = text?.replace(/^.*\) /s, '').split(' ')
  return fields && { state: fields[0] ?? '', group: Number(fields[2]), start: `${boot()}/${fields[19]}` }
}

let bootId: string | undefined
const boot = (): string => (bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())

function unlessDead<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ESRCH')) return undefined
    throw cause
  }
}
