// Processes as /proc shows them. A testbed finds its own by what they hold open and by their environment, since a pid file says
// nothing about what a job started, and a pid alone may belong to another process by now.

import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ifPresent } from './present.ts'

export type Identity = { readonly pid: number; readonly started: string }

/** Ticks since boot at which the process started (field 22 of stat): with the pid it names a process for ever. Nothing for the dead. */
export function identityOf(pid: number): Identity | undefined {
  const [state, , ...fields] = statOf(pid)
  const started = fields[17]
  return started === undefined || state === 'Z' ? undefined : { pid, started }
}

export const isAlive = ({ pid, started }: Identity): boolean => identityOf(pid)?.started === started

/** Kills until none is found: a process may fork between the look and the signal. */
export async function killEvery(find: () => readonly number[]): Promise<void> {
  for (;;) {
    const found = find()
    if (found.length === 0) return
    for (const pid of found) signal(pid, 'SIGKILL')
    await sleep(10)
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  ifPresent(() => process.kill(pid, name))
}

export async function untilGone(pid: number): Promise<void> {
  while (identityOf(pid) !== undefined) await sleep(20)
}

export const everyPid = (): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && identityOf(pid) !== undefined)

export const programOf = (pid: number): string => contentsOf(`/proc/${pid}/comm`).trimEnd()

/** Empty once a program has written its title over it, as Slurm's step daemon does. */
export const environmentOf = (pid: number): ReadonlySet<string> => new Set(contentsOf(`/proc/${pid}/environ`).split('\0'))

export const openFilesOf = (pid: number): readonly string[] =>
  (ifPresent(() => readdirSync(`/proc/${pid}/fd`)) ?? []).flatMap((fd) => ifPresent(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? [])

export function withDescendants(roots: readonly number[]): readonly number[] {
  const parents = new Map(everyPid().map((pid) => [pid, Number(statOf(pid)[1])]))
  const descends = (pid: number | undefined): boolean => pid !== undefined && (roots.includes(pid) || descends(parents.get(pid)))
  return [...parents.keys()].filter(descends)
}

/** The fields after the program's name, which may itself hold spaces and brackets. */
const statOf = (pid: number): readonly string[] =>
  contentsOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')

const contentsOf = (path: string): string => ifPresent(() => readFileSync(path, 'utf8')) ?? ''
