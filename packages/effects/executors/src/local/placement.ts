// Which nodes of this machine's fleet are free, and which of them a job gets.

import { join } from 'node:path'
import type { Node } from '../executor.ts'
import { type JobSpec, slotsPerNode } from '../job-spec.ts'
import type { Entry } from './registry.ts'

/** Names for equal shares of one machine: programs of a job on two of them meet at 127.0.0.1. */
export type Fleet = { readonly nodes: readonly string[]; readonly slots: number }

/** HOME of jobs that name no other: in that of whoever started the control plane lies an administrator's token. */
export const homeIn = (directory: string): string => join(directory, 'home')

export const nodesOf = (fleet: Fleet, live: readonly Entry[], drained: ReadonlyMap<string, string>): readonly Node[] =>
  fleet.nodes.map((name) => {
    const taken = live.filter(({ nodes }) => nodes?.includes(name)).reduce((sum, { job }) => sum + slotsPerNode(job), 0)
    const reason = drained.get(name)
    const node = { name, address: '127.0.0.1', slots: fleet.slots, freeSlots: reason === undefined ? fleet.slots - taken : 0 }
    return reason === undefined ? { ...node, state: 'ready' } : { ...node, state: 'drained', reason }
  })

/** All the nodes it asked for, or none. */
export function placementOf(job: JobSpec, nodes: readonly Node[]): readonly string[] | undefined {
  const fit = fitting(job, nodes)
  return fit.length >= job.nodes ? fit.slice(0, job.nodes).map(({ name }) => name) : undefined
}

export const waitingReason = (job: JobSpec, nodes: readonly Node[]): string =>
  `needs ${job.nodes} nodes with ${slotsPerNode(job)} free slots; ${fitting(job, nodes).length} have them`

const fitting = (job: JobSpec, nodes: readonly Node[]): readonly Node[] =>
  nodes.filter(({ name, freeSlots }) => freeSlots >= slotsPerNode(job) && !job.exclude.includes(name))
