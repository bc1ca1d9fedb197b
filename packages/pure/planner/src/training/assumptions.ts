// What a plan rests on beside its decisions: node, network, price, precision, software, each with who said so. Two plans of one model differ
// by these as much as by their strategies.

import type { Accelerator, Catalog } from '@ironlaw/catalog'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { type BaseUnit, type Known, type Quantity, quantity, show } from '@ironlaw/units'
import { lowestPrice } from './economics.ts'
import type { Machine } from './layer-time.ts'
import { gigabits, type Network, type Source } from './network.ts'

export type Assumption = {
  /** The field of a spec that would say it. */
  readonly field: string
  readonly value: string | number
  readonly unit?: BaseUnit
  /** The value for people. */
  readonly text: string
  readonly source: Source | 'measured'
}

type Rests = {
  readonly spec: TrainSpec
  readonly accelerator: Accelerator
  readonly network: Network
  readonly machine: Machine
  readonly price: Known<'USD/s'> | undefined
  readonly precision: string
}

export function assumptionsOf(catalog: Catalog, { spec, accelerator, network, machine, price, precision }: Rests): readonly Assumption[] {
  const { portBandwidth } = machine.fabric
  const measured = portBandwidth !== network.between
  const paid = price ?? lowestPrice(catalog, accelerator.id)
  return [
    ...(network.node === undefined ? [] : [{ field: 'fleet.node', ...word(network.node), source: network.nodeSource }]),
    { field: 'fleet.perNode', value: network.perNode, text: String(network.perNode), source: network.perNodeSource },
    { field: 'fleet.link', ...amount(portBandwidth, 'B/s', gigabits), source: measured ? 'measured' : network.betweenSource },
    ...(paid ? [{ field: 'price', ...amount(paid.value, 'USD/s', show), source: from(price) }] : []),
    { field: 'precision', ...word(precision), source: from(spec.precision) },
    { field: 'runtime', ...word(machine.runtime.name), source: from(spec.runtime) },
    ...(spec.region === undefined ? [] : [{ field: 'region', ...word(spec.region), source: 'given' as const }]),
  ]
}

const from = (stated: unknown): Source => (stated === undefined ? 'assumed' : 'given')

const word = (value: string): Pick<Assumption, 'value' | 'text'> => ({ value, text: value })

const amount = <U extends BaseUnit>(
  value: number,
  unit: U,
  shown: (value: Quantity<U>, unit: U) => string,
): Pick<Assumption, 'value' | 'unit' | 'text'> => ({ value, unit, text: `${shown(quantity(value, unit), unit)} per accelerator` })
