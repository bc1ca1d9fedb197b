// Which node and which network a plan assumes, and who said so: the spec, a node of the catalog, or what is usual. Plans that differ only in
// this differ by a factor, so every plan says it.

import { type Accelerator, accelerator as acceleratorOf, type Catalog, entry, lookup } from '@ironlaw/catalog'
import { IronlawError, type NetworkLink, readLink } from '@ironlaw/contracts'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { USUAL_PER_NODE, USUAL_PORT } from '../../machine/machine-for.ts'
import { nodeShape, type NodeShape } from '../../machine/node-shape.ts'

export type ValueSource = 'given' | 'assumed'

export type Network = {
  /** Id of the node in the catalog, where one is known. */
  readonly node?: string
  readonly nodeSource: ValueSource
  /** Accelerators that the fast links join. */
  readonly perNode: number
  readonly perNodeSource: ValueSource
  /** Accelerators of one host, where the fast links join several hosts. */
  readonly perHost?: number
  /** Bytes per second, one direction, per accelerator, between nodes. */
  readonly between: number
  readonly betweenSource: ValueSource
}

export function networkOf(catalog: Catalog, spec: TrainSpec, accelerator: Accelerator): Network {
  const { fleet } = spec
  const shape = nodeShape(catalog, accelerator.id, fleet.node)
  if (fleet.node !== undefined && shape?.accelerator !== accelerator.id)
    throw specError(spec, 'fleet.node', `${fleet.node} holds ${shape?.accelerator ?? 'no accelerators'}, not ${accelerator.id}`)
  const perNode = fleet.perNode ?? shape?.perNode ?? USUAL_PER_NODE
  const perHost = fleet.perNode ?? shape?.perHost ?? USUAL_PER_NODE
  const given = fleet.link === undefined ? undefined : bandwidthOf(catalog, spec, { text: fleet.link, perHost })
  const ports = portsOf(shape)
  return {
    ...(shape && { node: shape.node }),
    nodeSource: fleet.node === undefined ? 'assumed' : 'given',
    perNode,
    perNodeSource: fleet.perNode === undefined && fleet.node === undefined ? 'assumed' : 'given',
    ...(shape && fleet.perNode === undefined && { perHost: shape.perHost }),
    between: given ?? ports ?? usualPort(accelerator) / (joinsBySlot(accelerator) ? perHost : 1),
    betweenSource: given !== undefined || (fleet.node !== undefined && ports !== undefined) ? 'given' : 'assumed',
  }
}

/** Workstations with cards in slots and no node of the catalog: one port of 25 Gb/s for all of them. */
const WORKSTATION_PORT = 25e9 / 8

const joinsBySlot = ({ facts: { link } }: Accelerator): boolean => link === undefined || link.id.startsWith('pcie')
const usualPort = (accelerator: Accelerator): number => (joinsBySlot(accelerator) ? WORKSTATION_PORT : USUAL_PORT)

/** Undefined where the catalog does not say what leaves the node. */
const portsOf = (shape: NodeShape | undefined): number | undefined => (shape && shape.portBandwidth > 0 ? shape.portBandwidth : undefined)

type WrittenLink = { readonly text: string; readonly perHost: number }

function bandwidthOf(catalog: Catalog, spec: TrainSpec, { text, perHost }: WrittenLink): number {
  const read = readLink(text)
  if (!read.ok) throw specError(spec, 'fleet.link', read.reason)
  const { count, of, per } = read.value
  return (count * ('bandwidth' in of ? of.bandwidth : catalogLink(catalog, spec, of))) / (per === 'node' ? perHost : 1)
}

function catalogLink(catalog: Catalog, spec: TrainSpec, { id }: Extract<NetworkLink['of'], { readonly id: string }>): number {
  const { facts, name } = entry(catalog, 'links', id)
  if (facts.scope === 'scale-out') return facts.perDirection.value
  throw specError(
    spec,
    'fleet.link',
    `${name} joins accelerators inside a node; between nodes the catalog has ${[...catalog.links.values()]
      .filter((link) => link.facts.scope === 'scale-out')
      .map((link) => link.id)
      .join(', ')}`,
  )
}

export const specError = ({ name }: TrainSpec, path: string, problem: string): IronlawError =>
  new IronlawError('IL_SPEC', { file: `spec "${name}"`, path, problem })

type PlannedNetwork = { readonly accelerator: string; readonly devices: number; readonly network: Network }

/** "8 nodes x 8 a100-80gb-sxm, NVLink 3 inside, 12.5 Gb/s per accelerator between nodes (given)". */
export function networkText(catalog: Catalog, { accelerator: id, devices, network }: PlannedNetwork): string {
  const accelerator = acceleratorOf(catalog, id)
  const { perNode, perHost = perNode } = network
  const here = Math.min(perHost, devices)
  const hosts = Math.ceil(devices / here)
  const inside = `${insideName(catalog, accelerator)} ${perHost < perNode ? `joins ${Math.min(perNode, devices)}` : 'inside'}`
  const shape = `${hosts.toLocaleString('en')} node${hosts === 1 ? '' : 's'} x ${here} ${accelerator.id}, ${inside}`
  if (devices <= perNode) return `${shape}${origin(catalog, network, 'perNodeSource')}`
  const between = `${formatGigabits(network.between)} per accelerator between nodes`
  return `${shape}, ${between}${origin(catalog, network, 'betweenSource')}`
}

/** Networks are sold in bits. */
export const formatGigabits = (bytes: number): string => `${Number(((8 * bytes) / 1e9).toPrecision(4))} Gb/s`

function origin(catalog: Catalog, network: Network, of: 'perNodeSource' | 'betweenSource'): string {
  if (network[of] === 'given') return ' (given)'
  const node = network.node === undefined ? undefined : lookup(catalog, 'nodes', network.node)
  return node?.ok ? ` (assumed from the ${node.entry.name})` : ' (assumed: no node of the catalog has this accelerator)'
}

const insideName = (catalog: Catalog, { facts }: Accelerator): string => {
  const link = facts.link ? lookup(catalog, 'links', facts.link.id) : undefined
  return link?.ok ? link.entry.name : 'PCI Express'
}
