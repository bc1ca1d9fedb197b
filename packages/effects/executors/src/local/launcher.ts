// One process for each local job, detached from its submitter: claims the job, waits for room, starts the program once for
// each node, and writes down how it ended. `node launcher.ts DIRECTORY KEY FLEET`.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { IronlawError } from '@ironlaw/contracts'
import { type JobSpec, logFile } from '../job-spec.ts'
import { userEnvironment } from '../users/command-as.ts'
import { findUnixUser, type UnixUser } from '../users/unix-user.ts'
import { killControlGroup, makeControlGroup, removeControlGroup } from './control-group.ts'
import { devicesFor, type LocalFleet, homeIn, nodesOf, placementOf } from './placement.ts'
import { type Identity, identityOf, isGroupAlive, signalGroup } from './process.ts'
import { type EndedSighting, type Entry, type HeldDevices, hasRegistry, withRegistry } from './registry.ts'
import { exportsOf, isolationProblem, taskCommand } from './task-command.ts'

const POLL_MS = 100
/** From SIGTERM to SIGKILL; Slurm's KillWait is 30 s, which a person at a terminal would not wait. */
const GRACE_MS = 5000
const LONGEST_ABSENCE_MS = 86_400_000

const [directory = '', key = '', fleetText = ''] = process.argv.slice(2)
const fleet: LocalFleet = JSON.parse(fleetText)
const HOME = homeIn(directory)

/** Undefined where another launcher has claimed the job; this one then exits. */
function claimJob(): Entry | undefined {
  return withRegistry(directory, (registry) => {
    const entry = registry.entry(key)
    const launcher = identityOf(process.pid)
    if (entry === undefined || entry.launcher || entry.ended || launcher === undefined) return undefined
    registry.update(key, { launcher })
    return entry
  })
}

/** A disk may be away for a while; the job does not end for that. After a day it was removed, and nobody will read the entry. */
async function update(change: Partial<Entry>): Promise<void> {
  const deadline = Date.now() + LONGEST_ABSENCE_MS
  while (!hasRegistry(directory)) {
    if (Date.now() > deadline) process.exit(1)
    await sleep(POLL_MS)
  }
  withRegistry(directory, (registry) => registry.update(key, change))
}

const isCancelled = (): boolean => hasRegistry(directory) && withRegistry(directory, (registry) => registry.entry(key)?.cancelled === true)

async function runJob(job: JobSpec): Promise<EndedSighting> {
  let placed: JobPlacement | undefined
  while ((placed = takeNodes(job)) === undefined) {
    if (isCancelled()) return { state: 'ended', how: 'cancelled' }
    await sleep(POLL_MS)
  }
  const { nodes, devices } = placed
  const owner = ownerOf(job)
  if (owner === undefined) mkdirSync(job.logDirectory, { recursive: true, mode: 0o700 })
  const start = owner === undefined ? startTask : startTaskAs(owner)
  const tasks = nodes.map((node, index) => start(job, { node, index, devices: devices[node] ?? [] }))
  const groups = tasks.flatMap(({ child: { pid } }) => (pid === undefined ? [] : (identityOf(pid) ?? [])))
  await update({ processes: groups })
  const ended = await watchTasks(job, tasks)
  await endGroups(groups, tasks)
  if (owner?.controlGroup !== undefined) await endControlGroup(owner.controlGroup)
  return ended
}

type Owner = { readonly user: UnixUser; readonly isolated: boolean; readonly controlGroup: string | undefined }

/** Undefined for a job of our own user. */
function ownerOf(job: JobSpec): Owner | undefined {
  if (job.user === undefined) return undefined
  const user = findUnixUser(job.user.name)
  if (user === undefined || user.uid === 0)
    throw new IronlawError('IL_UNEXPECTED', { reason: `job ${key}: no user ${job.user.name} to run as` })
  const problem = isolationProblem()
  if (problem !== undefined) process.stderr.write(`${key}: without PID and mount namespaces of its own: ${problem}\n`)
  return { user, isolated: problem === undefined, controlGroup: process.getuid?.() === 0 ? makeControlGroup(job) : undefined }
}

async function endControlGroup(group: string): Promise<void> {
  killControlGroup(group)
  while (!removeControlGroup(group)) await sleep(POLL_MS / 5)
}

type JobPlacement = { readonly nodes: readonly string[]; readonly devices: HeldDevices }

function takeNodes(job: JobSpec): JobPlacement | undefined {
  if (!hasRegistry(directory)) return undefined
  return withRegistry(directory, (registry) => {
    const live = registry.live()
    const nodes = registry.entry(key)?.cancelled ? undefined : placementOf(job, nodesOf(fleet, live, registry.drained()))
    const placed = nodes && { nodes, devices: devicesFor(job, nodes, { fleet, live }) }
    if (placed) registry.update(key, placed)
    return placed
  })
}

type Task = { readonly child: ChildProcess; readonly exit: () => number | undefined }

type TaskPlace = { readonly node: string; readonly index: number; readonly devices: readonly number[] }

function startTask(job: JobSpec, place: TaskPlace): Task {
  const [program = '', ...args] = job.argv
  const log = openSync(logFile(job, place.index), 'a')
  const env = { ...process.env, HOME, ...taskEnvironment(job, place) }
  const child = spawn(program, args, { cwd: job.directory, env, stdio: ['ignore', log, log], detached: true })
  child.once('error', (error) => writeSync(log, `${error.message}\n`))
  child.once('close', () => closeSync(log))
  return watchedTask(child)
}

const startTaskAs =
  (owner: Owner) =>
  (job: JobSpec, place: TaskPlace): Task => {
    const { directory, logDirectory } = job
    const [program = '', ...args] = taskCommand(job.argv, { ...owner, directory, logDirectory, log: logFile(job, place.index) })
    const child = spawn(program, args, { cwd: '/', env: process.env, stdio: ['ignore', 'ignore', 'inherit', 'pipe'], detached: true })
    const input = child.stdio[3] as Writable
    // One that ends before it has read says so by its status.
    input.on('error', () => undefined)
    input.end(exportsOf({ ...process.env, ...userEnvironment(owner.user), ...taskEnvironment(job, place) }))
    return watchedTask(child)
  }

function taskEnvironment(job: JobSpec, { node, index, devices }: TaskPlace): Readonly<Record<string, string>> {
  const place = { IRONLAW_NODE: node, IRONLAW_NODE_INDEX: String(index), IRONLAW_HEAD: '127.0.0.1' }
  // Empty for a job without accelerators: those of the others are not to be seen. HIP reads the same name.
  const visible = fleet.devices && { CUDA_VISIBLE_DEVICES: devices.join(',') }
  return { ...job.env, ...place, ...visible }
}

function watchedTask(child: ChildProcess): Task {
  let exit: number | undefined
  child.once('exit', (code, signal) => {
    exit = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  })
  child.once('error', () => {
    exit = 127
  })
  return { child, exit: () => exit }
}

/** The first that fails ends the job, as `srun --kill-on-bad-exit` does, unless the others may continue. */
async function watchTasks({ timeLimit_s = Infinity, survivesNodeLoss = false }: JobSpec, tasks: readonly Task[]): Promise<EndedSighting> {
  const deadline = Date.now() + timeLimit_s * 1000
  for (;;) {
    const exits = tasks.map((task) => task.exit())
    const failed = exits.find((exit) => exit !== undefined && exit !== 0)
    const isOver = !survivesNodeLoss || exits.every((exit) => exit !== undefined)
    if (isCancelled()) return { state: 'ended', how: 'cancelled' }
    if (failed !== undefined && isOver) return { state: 'ended', how: 'failed', exit: failed }
    if (exits.every((exit) => exit === 0)) return { state: 'ended', how: 'completed' }
    if (Date.now() > deadline) return { state: 'ended', how: 'timeout' }
    await sleep(POLL_MS)
  }
}

async function endGroups(groups: readonly Identity[], tasks: readonly Task[]): Promise<void> {
  const deadline = Date.now() + GRACE_MS
  for (const group of groups) signalGroup(group, 'SIGTERM')
  while (groups.some(isGroupAlive) || tasks.some((task) => task.exit() === undefined)) {
    if (Date.now() > deadline) for (const group of groups) signalGroup(group, 'SIGKILL')
    await sleep(POLL_MS / 5)
  }
}

const entry = claimJob()
if (entry !== undefined) await update({ ended: await runJob(entry.job) })
