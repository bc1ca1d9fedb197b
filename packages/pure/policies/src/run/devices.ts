// Which accelerators of a cluster satisfy a run, which of them to request, and what to report while there are none.

import {
  countOfKind,
  type DeviceCount,
  type DeviceRequest,
  devicesText,
  isInService,
  type NodeSighting,
  type SiteDevice,
} from '@ironlaw/contracts'
import type { DeviceNeeds, Observation } from './observation.ts'
import { countText } from './sentence.ts'

/**
 * The cluster's names for what a request accepts, best first: what was named, then whatever the site says is capable of as much. What a site
 * says about a name holds; without its word a name is that of the cluster, whole or without its family (`gpu:h100`, `h100`).
 */
export function acceptedKinds(
  request: DeviceRequest,
  { site, offered }: { readonly site: readonly SiteDevice[]; readonly offered: readonly string[] },
): readonly string[] {
  const named = request.kinds.flatMap((name) => {
    const mapped = site.filter((device) => device.name === name).map(({ kind }) => kind)
    return mapped.length > 0 ? mapped : offered.filter((kind) => kind === name || kind.replace(/^\w+:/, '') === name)
  })
  const capable = site.filter((device) => isCapable(device, request.orAtLeast)).map(({ kind }) => kind)
  const any = request.kinds.length === 0 && request.orAtLeast === undefined ? offered.map((kind) => kind.replace(/:.*/, '')) : []
  return [...new Set([...named, ...capable, ...any])]
}

/** A capability that the site file does not state counts as absent. */
export const isCapable = ({ memory_bytes = 0, linkDomain = 0 }: SiteDevice, least: DeviceRequest['orAtLeast']): boolean =>
  least !== undefined && memory_bytes >= (least.memory_bytes ?? 0) && linkDomain >= (least.linkDomain ?? 0)

export const deviceNeeds = (
  request: DeviceRequest,
  { site, capacity }: { readonly site: readonly SiteDevice[]; readonly capacity: readonly NodeSighting[] },
): DeviceNeeds => {
  const offered = [...new Set(capacity.flatMap(({ devices = [] }) => devices.map(({ kind }) => kind)))]
  return { perNode: request.perNode, kinds: acceptedKinds(request, { site, offered }), name: request.kinds[0] ?? 'accelerators' }
}

/** Of these the run takes one: ranks on unlike accelerators would wait for the slowest. One that holds nodes stays with what it has. */
export function kindsToTry({ devices, allocations }: Pick<Observation, 'devices' | 'allocations'>): readonly (string | undefined)[] {
  if (!devices) return [undefined]
  const held = allocations.find(({ deviceKind }) => deviceKind !== undefined)?.deviceKind
  return held === undefined ? devices.kinds : [held]
}

/** Whether a node has the accelerators that the run needs on each, in total or free. */
export function isEquipped(
  node: NodeSighting,
  devices: DeviceNeeds | undefined,
  { kind, by }: { kind: string | undefined; by: 'total' | 'free' },
): boolean {
  if (!devices) return true
  return kind !== undefined && countOfKind(node.devices, kind)[by] >= devices.perNode
}

/** The first kind that is free now, else the first that exists, else the first named. */
export function chosenKind(seen: Observation, { nodes, excluded }: { nodes: number; excluded: readonly string[] }): string | undefined {
  const usable = (seen.capacity ?? []).filter((node) => isInService(node) && !excluded.includes(node.name))
  const kinds = kindsToTry(seen)
  const { devices } = seen
  return (
    devices &&
    bestKind(
      kinds.filter((kind) => kind !== undefined),
      { perNode: devices.perNode, nodes, usable },
    )
  )
}

type OfferedDevices = { readonly devices?: readonly DeviceCount[] }
type Need = { readonly perNode: number; readonly nodes: number; readonly usable: readonly OfferedDevices[] }

function bestKind(kinds: readonly string[], { perNode, nodes, usable }: Need): string | undefined {
  const suffices = (by: 'total' | 'free') => (kind: string) =>
    usable.filter(({ devices }) => countOfKind(devices, kind)[by] >= perNode).length >= nodes
  return kinds.find(suffices('free')) ?? kinds.find(suffices('total')) ?? kinds[0]
}

/** For a job of one node. A kind that no node offers keeps its name, so that the executor can report what there is instead. */
export function singleNodeKind(request: DeviceRequest, site: readonly SiteDevice[], usable: readonly OfferedDevices[]): string {
  const offered = [...new Set(usable.flatMap(({ devices = [] }) => devices.map(({ kind }) => kind)))]
  const kinds = acceptedKinds(request, { site, offered })
  const [name = ''] = request.kinds
  return (
    bestKind(kinds, { perNode: request.perNode, nodes: 1, usable }) ?? (name === '' ? 'gpu' : name.includes(':') ? name : `gpu:${name}`)
  )
}

/** Why no node of the cluster can ever satisfy the request; undefined where some can. */
export function deviceMisfit({ perNode, kinds, name }: DeviceNeeds, capacity: readonly NodeSighting[]): string | undefined {
  const offers = [...new Set(capacity.map(({ devices = [] }) => devicesText(devices)).filter((text) => text !== ''))]
  if (offers.length === 0)
    return `needs ${perNode} ${name} on each node, and no node offers accelerators that the cluster counts; configure them (Slurm: Gres), or plan for what the nodes have`
  const sizes = capacity.flatMap((node) => kinds.map((kind) => countOfKind(node.devices, kind).total))
  const most = Math.max(0, ...sizes)
  if (most >= perNode) return undefined
  if (most === 0)
    return `needs ${perNode} ${name} on each node; nodes offer ${offers.join(' or ')}: name one of these, or say in the site's file of accelerators which is ${name}`
  return `needs ${perNode} ${kinds[0] ?? name} on each node, and no node has more than ${most}; plan for at most ${most} per node`
}

const MOST_NAMED = 3

/** What a pending request is waiting for. */
export function deviceWaitText(seen: Observation, nodes: number): string {
  const { devices, capacity = [], allocations } = seen
  const kind = allocations.findLast(({ deviceKind }) => deviceKind !== undefined)?.deviceKind
  if (!devices || kind === undefined) return ''
  const equipped = capacity.filter((node) => isEquipped(node, devices, { kind, by: 'total' }))
  const ready = equipped.filter((node) => isEquipped(node, devices, { kind, by: 'free' }))
  const short = equipped
    .filter((node) => !ready.includes(node))
    .toSorted((a, b) => Number(isInService(b)) - Number(isInService(a)))
    .map((node) => `${node.name} ${isInService(node) ? freeText(countOfKind(node.devices, kind)) : node.state}`)
  const others = short.length > MOST_NAMED ? ` and ${short.length - MOST_NAMED} more` : ''
  const where = short.length === 0 ? '' : ` (${short.slice(0, MOST_NAMED).join(', ')}${others})`
  const next = ready.length >= nodes ? 'the scheduler decides when' : 'it starts when other jobs give theirs back; "ironlaw top" shows them'
  return `needs ${countText(nodes, 'node')} with ${devices.perNode} free ${kind} each, ${ready.length} have them now${where}; ${next}`
}

const freeText = ({ free, total }: Omit<DeviceCount, 'kind'>): string => `${free} of ${total} free`
