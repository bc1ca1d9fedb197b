// What a plan assumes in addition to its decisions: node, network, price, precision, software, each with its source. Two plans of one model
// differ by these as much as by their strategies.

import type { Accelerator, Catalog } from '@ironlaw/catalog'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { type BaseUnit, type Known, type Quantity, quantity, show } from '@ironlaw/units'
import { lowestPrice } from '../../economics.ts'
import type { Machine } from '../../machine/machine.ts'
import { formatGigabits, type Network, type ValueSource } from './network.ts'

export type Assumption = {
  /** The field of a spec that would say it. */
  readonly field: string
  readonly value: string | number
  readonly unit?: BaseUnit
  /** The value for people. */
  readonly text: string
  readonly source: ValueSource | 'measured'
}

type AssumptionInputs = {
  readonly spec: TrainSpec
  readonly accelerator: Accelerator
  readonly network: Network
  readonly machine: Machine
  readonly price: Known<'USD/s'> | undefined
  readonly precision: string
}

export function assumptionsOf(
  catalog: Catalog,
  { spec, accelerator, network, machine, price, precision }: AssumptionInputs,
): readonly Assumption[] {
  const { portBandwidth } = machine.fabric
  const measured = portBandwidth !== network.between
  const paid = price ?? lowestPrice(catalog, accelerator.id)
  return [
    ...(network.node === undefined ? [] : [{ field: 'fleet.node', ...textValue(network.node), source: network.nodeSource }]),
    { field: 'fleet.perNode', value: network.perNode, text: String(network.perNode), source: network.perNodeSource },
    { field: 'fleet.link', ...perAccelerator(portBandwidth, 'B/s', formatGigabits), source: measured ? 'measured' : network.betweenSource },
    ...(paid ? [{ field: 'price', ...perAccelerator(paid.value, 'USD/s', show), source: sourceOf(price) }] : []),
    { field: 'precision', ...textValue(precision), source: sourceOf(spec.precision) },
    { field: 'runtime', ...textValue(machine.runtime.name), source: sourceOf(spec.runtime) },
    ...(spec.region === undefined ? [] : [{ field: 'region', ...textValue(spec.region), source: 'given' as const }]),
  ]
}

const sourceOf = (stated: unknown): ValueSource => (stated === undefined ? 'assumed' : 'given')

const textValue = (value: string): Pick<Assumption, 'value' | 'text'> => ({ value, text: value })

const perAccelerator = <U extends BaseUnit>(
  value: number,
  unit: U,
  shown: (value: Quantity<U>, unit: U) => string,
): Pick<Assumption, 'value' | 'unit' | 'text'> => ({ value, unit, text: `${shown(quantity(value, unit), unit)} per accelerator` })
