// What a plan asks of each node, as the control plane takes it: the plan's accelerators by kind and number, and what the spec wishes besides.

import { accelerator, type Catalog } from '@ironlaw/catalog'
import { quantityOf, type TrainingPlan } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'

type Shape = CreateRun['shape']
type Resources = NonNullable<TrainSpec['run']>['resources']

/** A host is what a cluster calls a node; fast links may join several of them. */
export function nodesOf({ devices, perNode, perHost = perNode }: TrainingPlan['fleet']): Pick<Shape, 'nodes' | 'processesPerNode'> {
  return { nodes: Math.ceil(devices / perHost), processesPerNode: Math.min(devices, perHost) }
}

export function resourcesOf(catalog: Catalog, { fleet }: Pick<TrainingPlan, 'fleet'>, resources: Resources = {}): Partial<Shape> {
  const { cpusPerProcess, memory, constraint, switches, orAtLeast } = resources
  const devices = devicesOf(catalog, { name: fleet.accelerator, perNode: nodesOf(fleet).processesPerNode })
  const least = orAtLeast && {
    ...(orAtLeast.memory !== undefined && { memory_bytes: quantityOf(orAtLeast.memory, 'B') }),
    ...(orAtLeast.linkDomain !== undefined && { linkDomain: orAtLeast.linkDomain }),
  }
  return {
    ...(devices && { devices: { ...devices, ...(least && { orAtLeast: least }) } }),
    ...(cpusPerProcess !== undefined && { cpusPerProcess }),
    ...(memory !== undefined && { memory_bytes: quantityOf(memory, 'B') }),
    ...(constraint !== undefined && { constraint }),
    ...(switches !== undefined && { switches }),
  }
}

/** By the catalog's names; none for a processor, which every node has. */
export function devicesOf(catalog: Catalog, { name, perNode }: { readonly name: string; readonly perNode: number }): Shape['devices'] {
  const { id, aliases, facts } = accelerator(catalog, name)
  return facts.kind === 'cpu' ? undefined : { perNode, kinds: [id, ...aliases] }
}
