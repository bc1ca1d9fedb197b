// The nodes of the cluster for people: what the executor shows, with why we took one out of service.

import { IronlawError } from '@ironlaw/contracts'
import type { NodeView } from '@ironlaw/contracts/api'
import type { Done, Executor, Node, Refused, Unreachable } from '@ironlaw/executors'
import { type Database, drainNode, nodesOf, readingsOf, restoreNode } from '@ironlaw/store'

export type FleetAccess = { readonly cluster: string; readonly executor: Pick<Executor, 'capacity' | 'drain' | 'undrain'> }

type NodeSource = { readonly cluster: string; readonly executor: Pick<Executor, 'capacity'> }

export async function nodeViews(database: Database, { cluster, executor }: NodeSource): Promise<NodeView[]> {
  const [answer, known, read] = await Promise.all([executor.capacity(), nodesOf(database, cluster), readingsOf(database, cluster)])
  if (answer.answer === 'unreachable') throw unreachableError(answer)
  const reasons = new Map(known.map(({ name, drained_reason }) => [name, drained_reason]))
  const readings = Map.groupBy(read, ({ name }) => name)
  return answer.nodes.map((node) => {
    const found = readings.get(node.name)?.map(({ kind, at, reading }) => ({ kind, at, ...reading }))
    return { ...nodeView(node, reasons.get(node.name) ?? undefined), ...(found && { readings: found }) }
  })
}

function nodeView({ name, state, reason, slots, free, devices }: Node, drainedFor: string | undefined): NodeView {
  const why = drainedFor ?? reason
  const counts = devices && { devices: devices.map((each) => ({ ...each })) }
  return { name, state, slots, free, ...counts, ...(why !== undefined && { reason: why }) }
}

type NodeOrder = { readonly name: string; readonly actor: string; readonly at: number }

export async function drain(database: Database, fleet: FleetAccess, order: NodeOrder & { readonly reason: string }): Promise<NodeView> {
  const { name, reason, actor, at } = order
  await requireNode(database, fleet, name)
  requireDone(await fleet.executor.drain(name, `ironlaw: ${reason}`))
  await drainNode(database, { cluster: fleet.cluster, name, reason }, { kind: 'node-drained', actor, at, body: { reason } })
  return requireNode(database, fleet, name)
}

export async function undrain(database: Database, fleet: FleetAccess, { name, actor, at }: NodeOrder): Promise<NodeView> {
  await requireNode(database, fleet, name)
  requireDone(await fleet.executor.undrain(name))
  await restoreNode(database, { cluster: fleet.cluster, name }, { kind: 'node-restored', actor, at, body: {} })
  return requireNode(database, fleet, name)
}

async function requireNode(database: Database, fleet: FleetAccess, name: string): Promise<NodeView> {
  const found = (await nodeViews(database, fleet)).find((node) => node.name === name)
  if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'node', id: name })
  return found
}

function requireDone(answer: Done | Refused | Unreachable): void {
  if (answer.answer === 'unreachable') throw unreachableError(answer)
  if (answer.answer === 'refused')
    throw new IronlawError('IL_CONFLICT', {
      problem: `the executor refused: ${answer.reason}`,
      next: "look at the node with the cluster's own tools",
    })
}

const unreachableError = ({ reason }: Unreachable): IronlawError => new IronlawError('IL_UNAVAILABLE', { what: 'the executor', reason })
