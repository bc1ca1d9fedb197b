// How many devices share the fast links and what reaches each of them from outside: from the catalog's nodes, the maker's own server or rack
// before a cloud's.

import { type Catalog, entry, type Entry, lookup } from '@ironlaw/catalog'

export type NodeShape = {
  readonly node: string
  readonly accelerator: string
  /** Devices that the fast links join, as far as work divides among them. */
  readonly perNode: number
  /** All devices that the fast links join. */
  readonly joined: number
  /** Devices that one operating system holds: what a batch system calls a node. */
  readonly perHost: number
  readonly portBandwidth: number
}

const PREFERRED = ['server', 'rack', 'cloud'] as const

/** Undefined when the catalog knows no node with this accelerator. A named node is taken as it is. */
export function nodeShape(catalog: Catalog, accelerator: string, named?: string): NodeShape | undefined {
  const nodes =
    named === undefined
      ? [...catalog.nodes.values()].filter(({ facts }) => facts.accelerator === accelerator)
      : [entry(catalog, 'nodes', named)]
  const ranked = PREFERRED.flatMap((form) => nodes.filter(({ facts }) => facts.form === form))
  const node = ranked[0]
  return node && shapeOf(catalog, node)
}

function shapeOf(catalog: Catalog, { id, facts }: Entry<'nodes'>): NodeShape {
  const devices = facts.accelerators.value
  const link = facts.nics ? lookup(catalog, 'links', facts.nics.link) : undefined
  const ports = facts.nics && link?.ok ? facts.nics.count.value * link.entry.facts.perDirection.value : 0
  const perNode = powerOfTwo(devices)
  return {
    node: id,
    accelerator: facts.accelerator,
    perNode,
    joined: devices,
    perHost: facts.perHost?.value ?? perNode,
    portBandwidth: ports / devices,
  }
}

/** Work divides by powers of two: of a rack of 72, jobs fill 64. */
const powerOfTwo = (devices: number): number => 2 ** Math.floor(Math.log2(devices))
