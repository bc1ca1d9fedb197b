// Which nodes and accelerators of this machine's fleet are free, and which of them a job gets.

import { join } from 'node:path'
import { countOfKind, slotsPerNode } from '@ironlaw/contracts'
import { type Node, workingState } from '../executor.ts'
import type { JobSpec } from '../job-spec.ts'
import type { Entry, HeldDevices } from './registry.ts'

/** Names for equal shares of one machine: programs of a job on two of them meet at 127.0.0.1. */
export type LocalFleet = {
  readonly nodes: readonly string[]
  readonly slots: number
  /** Accelerators of each share: the machine's first ones belong to the first node, the next to the second. None when absent. */
  readonly devices?: { readonly kind: string; readonly perNode: number }
}

/** HOME of jobs that set none: the home of the user who started the control plane holds an administrator's token. */
export const homeIn = (directory: string): string => join(directory, 'home')

export const nodesOf = (fleet: LocalFleet, live: readonly Entry[], drained: ReadonlyMap<string, string>): readonly Node[] =>
  fleet.nodes.map((name) => {
    const taken = live.filter(({ nodes }) => nodes?.includes(name)).reduce((sum, { job }) => sum + slotsPerNode(job), 0)
    const reason = drained.get(name)
    const unused = reason === undefined ? freeDevices(fleet, live, name).length : 0
    const devices = fleet.devices && { devices: [{ kind: fleet.devices.kind, total: fleet.devices.perNode, free: unused }] }
    const node = { name, address: '127.0.0.1', slots: fleet.slots, free: reason === undefined ? fleet.slots - taken : 0, ...devices }
    return reason === undefined ? { ...node, state: workingState(node) } : { ...node, state: 'drained', reason }
  })

/** All the nodes that it requested, or none. */
export function placementOf(job: JobSpec, nodes: readonly Node[]): readonly string[] | undefined {
  const fit = fittingNodes(job, nodes)
  return fit.length >= job.nodes ? fit.slice(0, job.nodes).map(({ name }) => name) : undefined
}

/** The accelerators that a job gets on the nodes where it is placed, lowest numbers first. */
export const devicesFor = (
  job: JobSpec,
  placed: readonly string[],
  { fleet, live }: { fleet: LocalFleet; live: readonly Entry[] },
): HeldDevices => Object.fromEntries(placed.map((name) => [name, freeDevices(fleet, live, name).slice(0, job.devices?.perNode ?? 0)]))

function freeDevices(fleet: LocalFleet, live: readonly Entry[], name: string): readonly number[] {
  const { perNode = 0 } = fleet.devices ?? {}
  const held = new Set(live.flatMap(({ devices }) => devices?.[name] ?? []))
  const first = fleet.nodes.indexOf(name) * perNode
  return Array.from({ length: perNode }, (_, index) => first + index).filter((device) => !held.has(device))
}

export function waitingReason(job: JobSpec, nodes: readonly Node[]): string {
  const devices = job.devices ? ` and ${job.devices.perNode} free ${job.devices.kind}` : ''
  return `needs ${job.nodes} nodes with ${slotsPerNode(job)} free slots${devices}; ${fittingNodes(job, nodes).length} have them`
}

const fittingNodes = (job: JobSpec, nodes: readonly Node[]): readonly Node[] =>
  nodes.filter(
    ({ name, free, devices }) =>
      free >= slotsPerNode(job) &&
      (job.devices === undefined || countOfKind(devices, job.devices.kind).free >= job.devices.perNode) &&
      !job.exclude.includes(name),
  )
