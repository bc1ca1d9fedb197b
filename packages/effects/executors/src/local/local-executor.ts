// Jobs as processes of this machine, for a laptop and for tests. A job belongs to its launcher, not to the control plane, and
// lives on when that dies.

import { isDeepStrictEqual } from 'node:util'
import { spawn } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Refused, Unreachable } from '../answers.ts'
import type { Executor, JobSighting, Submitted } from '../executor.ts'
import { type JobSpec, misfitOf, refusalOf } from '../job-spec.ts'
import { type LocalFleet, homeIn, nodesOf, waitingReason } from './placement.ts'
import { type JobUsers, NO_USERS, userRefusal } from '../users/unix-user.ts'
import { isAlive, isGroupAlive, signalGroup } from './process.ts'
import { type Entry, type Registry, hasRegistry, withRegistryUnlessFull, makeRegistry } from './registry.ts'

type Options = {
  /** Where the registry of jobs lives; the same one for every process that uses this fleet. */
  readonly directory: string
  readonly fleet: LocalFleet
  /** What jobs inherit. Nothing of the caller's own. */
  readonly environment: Readonly<Record<string, string>>
  /** Other users that jobs may run as, under a control plane that is root. */
  readonly users?: JobUsers
}

const DONE = { answer: 'done' } as const
const LAUNCHER = join(import.meta.dirname, 'launcher.ts')

export function localExecutor({ directory, fleet, environment, users = NO_USERS }: Options): Executor {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  mkdirSync(homeIn(directory), { recursive: true, mode: 0o700 })
  makeRegistry(directory)
  const ifReachable = async <T>(act: (registry: Registry) => T): Promise<T | Unreachable> =>
    hasRegistry(directory)
      ? withRegistryUnlessFull(directory, act)
      : { answer: 'unreachable', reason: `no registry of jobs in ${directory}` }
  const launch = (key: string): void => {
    const args = [LAUNCHER, directory, key, JSON.stringify(fleet)]
    const errors = openSync(join(directory, 'launchers.log'), 'a')
    spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'ignore', errors], detached: true }).unref()
    closeSync(errors)
  }
  const nodeRefusal = (node: string): Refused | undefined =>
    fleet.nodes.includes(node) ? undefined : { answer: 'refused', field: 'node', reason: `there is no node ${node}` }

  return {
    submit: async (job) => {
      const refusal = refusalOf(job) ?? userRefusal(job, users) ?? misfitOf(job, nodesOf(fleet, [], new Map()))
      if (refusal) return refusal
      const added = await ifReachable((registry) => addOnce(registry, job))
      if (added.answer === 'submitted' && !added.already) launch(job.key)
      return added
    },
    release: async () => ({ answer: 'refused', field: 'nodes', reason: 'a local job cannot release single nodes' }),
    sightings: (keys) =>
      ifReachable((registry) => {
        for (const entry of registry.live())
          if (isLost(entry)) registry.update(entry.job.key, { ended: { state: 'ended', how: 'node-failed' } })
        const live = registry.live()
        const nodes = nodesOf(fleet, live, registry.drained())
        // The process that added the job died before it started the launcher. A second launcher does no harm: it finds the job claimed.
        for (const { job, launcher } of live) if (launcher === undefined && keys.includes(job.key)) launch(job.key)
        return { answer: 'seen', jobs: new Map(keys.map((key) => [key, sightingOf(registry.entry(key), { live, nodes })])) }
      }),
    cancel: (key) => ifReachable((registry) => cancel(registry, key)),
    capacity: () => ifReachable((registry) => ({ answer: 'capacity', nodes: nodesOf(fleet, registry.live(), registry.drained()) })),
    drain: async (node, reason) => nodeRefusal(node) ?? ifReachable((registry) => (registry.drain(node, reason), DONE)),
    undrain: async (node) => nodeRefusal(node) ?? ifReachable((registry) => (registry.undrain(node), DONE)),
  }
}

function addOnce(registry: Registry, job: JobSpec): Submitted | Refused {
  const entry = registry.entry(job.key)
  if (entry === undefined) registry.add(job)
  // Not by their text: what was read back has its fields in another order.
  else if (!isDeepStrictEqual(entry.job, JSON.parse(JSON.stringify(job))))
    return { answer: 'refused', field: 'key', reason: `${job.key} already names another job` }
  return { answer: 'submitted', reference: job.key, already: entry !== undefined }
}

/** Its launcher died and so did all that it had started: what a machine leaves behind that lost its power. */
const isLost = ({ launcher, processes = [] }: Entry): boolean =>
  launcher !== undefined && !isAlive(launcher) && !processes.some(isGroupAlive)

function cancel(registry: Registry, key: string): typeof DONE {
  const entry = registry.entry(key)
  if (entry === undefined || entry.ended) return DONE
  if (entry.launcher && isAlive(entry.launcher)) registry.update(key, { cancelled: true })
  else {
    for (const group of entry.processes ?? []) signalGroup(group, 'SIGKILL')
    registry.update(key, { ended: { state: 'ended', how: 'cancelled' } })
  }
  return DONE
}

type SightingContext = { readonly live: readonly Entry[]; readonly nodes: Parameters<typeof waitingReason>[1] }

function sightingOf(entry: Entry | undefined, { live, nodes }: SightingContext): JobSighting {
  if (entry === undefined) return { state: 'absent' }
  if (entry.ended) return entry.ended
  if (entry.nodes) return entry.cancelled ? { state: 'ending' } : { state: 'running', nodes: entry.nodes, unresponsive: [] }
  const waiting = live.filter((other) => other.nodes === undefined)
  return {
    state: 'pending',
    reason: waitingReason(entry.job, nodes),
    position: waiting.findIndex(({ number }) => number === entry.number) + 1,
  }
}
