// What is known of the jobs on this machine, in one SQLite file. Everyone who touches a job, the control plane and one launcher
// for each job, opens it for the one thing it does: a lock that the kernel releases when its holder dies, and no half-written state.

import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Unreachable } from '../answers.ts'
import type { Sighting } from '@ironlaw/contracts'
import type { JobSpec } from '../job-spec.ts'
import type { Identity } from './process.ts'

export type EndedSighting = Extract<Sighting, { readonly state: 'ended' }>

/** Order of submission; `launcher` from its claim on, `nodes` from the start on. */
/** Numbers of accelerators by node. */
export type HeldDevices = Readonly<Record<string, readonly number[]>>

export type Entry = {
  readonly number: number
  readonly job: JobSpec
  readonly launcher?: Identity
  readonly nodes?: readonly string[]
  readonly devices?: HeldDevices
  readonly processes?: readonly Identity[]
  readonly cancelled?: true
  readonly ended?: EndedSighting
}

export type Registry = {
  readonly entry: (key: string) => Entry | undefined
  /** Jobs that have not ended, in order of submission. */
  readonly live: () => readonly Entry[]
  readonly add: (job: JobSpec) => void
  readonly update: (key: string, change: Partial<Entry>) => void
  readonly drained: () => ReadonlyMap<string, string>
  readonly drain: (node: string, reason: string) => void
  readonly undrain: (node: string) => void
}

const fileIn = (directory: string): string => join(directory, 'registry.sqlite')

export function makeRegistry(directory: string): void {
  // Environments of jobs hold secrets. The file is created before SQLite does it, whose journal files then get the same mode.
  closeSync(openSync(fileIn(directory), 'a', 0o600))
  chmodSync(fileIn(directory), 0o600)
  const database = new DatabaseSync(fileIn(directory), { timeout: 10_000 })
  database.exec(`create table if not exists jobs (number integer primary key, key text not null unique, live integer not null, entry text not null) strict;
    create index if not exists live_jobs on jobs (number) where live = 1;
    create table if not exists drained (node text primary key, reason text not null) strict`)
  database.close()
}

export const hasRegistry = (directory: string): boolean => existsSync(fileIn(directory))

/** As `withRegistry`; a full disk counts as unreachable, since the jobs keep running and an operator can make room. */
export function withRegistryUnlessFull<T>(directory: string, act: (registry: Registry) => T): T | Unreachable {
  try {
    return withRegistry(directory, act)
  } catch (cause) {
    if (!isFull(cause)) throw cause
    return { answer: 'unreachable', reason: `the disk of ${directory} is full` }
  }
}

/** SQLITE_FULL, https://www.sqlite.org/rescode.html */
const FULL = 13

const isFull = (cause: unknown): boolean => cause instanceof Error && 'errcode' in cause && cause.errcode === FULL

/** In one transaction that excludes all others; what throws inside changes nothing. */
export function withRegistry<T>(directory: string, act: (registry: Registry) => T): T {
  using database = new DatabaseSync(fileIn(directory), { timeout: 10_000 })
  database.exec('begin immediate')
  const result = act(registryOf(database))
  database.exec('commit')
  return result
}

function registryOf(database: DatabaseSync): Registry {
  const entryOf = (row: Record<string, unknown>): Entry => ({ ...JSON.parse(String(row['entry'])), number: Number(row['number']) })
  const entry = (key: string): Entry | undefined => {
    const row = database.prepare('select number, entry from jobs where key = ?').get(key)
    return row && entryOf(row)
  }
  return {
    entry,
    live: () => database.prepare('select number, entry from jobs where live = 1 order by number').all().map(entryOf),
    add: (job) => void database.prepare('insert into jobs (key, live, entry) values (?, 1, ?)').run(job.key, JSON.stringify({ job })),
    update: (key, change) => {
      const next = { ...entry(key), ...change }
      database.prepare('update jobs set live = ?, entry = ? where key = ?').run(next.ended ? 0 : 1, JSON.stringify(next), key)
    },
    drained: () =>
      new Map(
        database
          .prepare('select node, reason from drained')
          .all()
          .map((row) => [String(row['node']), String(row['reason'])]),
      ),
    drain: (node, reason) => void database.prepare('insert or replace into drained (node, reason) values (?, ?)').run(node, reason),
    undrain: (node) => void database.prepare('delete from drained where node = ?').run(node),
  }
}
