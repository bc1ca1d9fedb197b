// What is known of the jobs on this machine, in one SQLite file. Everyone who touches a job, the control plane and one launcher
// for each job, opens it for the one thing it does: a lock that the kernel releases when its holder dies, and no half-written state.

import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Unreachable } from '../answers.ts'
import { IronlawError, type Sighting } from '@ironlaw/contracts'
import * as z from 'zod'
import type { JobSpec } from '../job-spec.ts'
import type { Identity } from './process.ts'

/** A registry of a higher one was written by a newer control plane, in a form that this one does not know. */
const VERSION = 1

export type EndedSighting = Extract<Sighting, { readonly state: 'ended' }>

/** Numbers of accelerators by node. */
export type HeldDevices = Readonly<Record<string, readonly number[]>>

/** `number` is the order of submission; `launcher` from its claim on, `nodes` from the start on. */
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

const identity = z.looseObject({ pid: z.int(), start: z.string() })
const names = z.array(z.string())

const JOB: z.ZodType<JobSpec> = z.looseObject({
  key: z.string(),
  nodes: z.int(),
  processesPerNode: z.int(),
  cpusPerProcess: z.int().exactOptional(),
  devices: z.looseObject({ kind: z.string(), perNode: z.int() }).exactOptional(),
  memory_bytes: z.number().exactOptional(),
  constraint: z.string().exactOptional(),
  switches: z.looseObject({ most: z.number(), wait_s: z.number() }).exactOptional(),
  partition: z.string().exactOptional(),
  exclude: names,
  survivesNodeLoss: z.boolean().exactOptional(),
  timeLimit_s: z.number().exactOptional(),
  argv: names,
  env: z.record(z.string(), z.string()),
  directory: z.string(),
  logDirectory: z.string(),
  user: z.looseObject({ name: z.string(), account: z.string().exactOptional(), qos: z.string().exactOptional() }).exactOptional(),
})

/** What a launcher of another version has added is kept. */
const ENTRY: z.ZodType<Omit<Entry, 'number'>> = z.looseObject({
  job: JOB,
  launcher: identity.exactOptional(),
  nodes: names.exactOptional(),
  devices: z.record(z.string(), z.array(z.int())).exactOptional(),
  processes: z.array(identity).exactOptional(),
  cancelled: z.literal(true).exactOptional(),
  ended: z
    .looseObject({
      state: z.literal('ended'),
      how: z.enum(['completed', 'failed', 'cancelled', 'node-failed', 'timeout']),
      exit: z.number().exactOptional(),
    })
    .exactOptional(),
})

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
  const version = Number(database.prepare('pragma user_version').get()?.['user_version'])
  if (version < VERSION) database.exec(`pragma user_version = ${VERSION}`)
  database.close()
  if (version > VERSION) throw unreadable(fileIn(directory), `its version is ${version}, and this control plane knows ${VERSION}`)
}

class Unreadable extends IronlawError {}

const unreadable = (what: string, problem: string): Unreadable =>
  new Unreadable('IL_UNEXPECTED', { reason: `${what} cannot be read: ${problem}` })

export const hasRegistry = (directory: string): boolean => existsSync(fileIn(directory))

/** As `withRegistry`; a full disk or an entry that cannot be read counts as unreachable: jobs keep running, and an operator can help. */
export function withRegistryUnlessFull<T>(directory: string, act: (registry: Registry) => T): T | Unreachable {
  try {
    return withRegistry(directory, act)
  } catch (cause) {
    if (cause instanceof Unreadable) return { answer: 'unreachable', reason: cause.message }
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
  const entryOf = (row: Record<string, unknown>): Entry => {
    const { success, data, error } = ENTRY.safeParse(JSON.parse(String(row['entry'])))
    if (!success) throw unreadable(`jobs.entry number ${Number(row['number'])} of the registry`, z.prettifyError(error))
    return { ...data, number: Number(row['number']) }
  }
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
