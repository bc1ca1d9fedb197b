// What a run costs in money, energy and carbon, by the laws, from the predicted duration and the catalog's figures.

import { accelerator as acceleratorOf, type Catalog, entry, HOST_POWER } from '@ironlaw/catalog'
import { explain } from '@ironlaw/laws'
import { embodiedAmortized } from '@ironlaw/laws/carbon/embodied'
import { operationalCarbon } from '@ironlaw/laws/carbon/operational'
import { instanceHours } from '@ironlaw/laws/cost/compute'
import { runEnergy } from '@ironlaw/laws/energy/work'
import { DAY, givenValue, type Known, sourcedValue } from '@ironlaw/units'

export type EconomicsInput = {
  readonly accelerator: string
  readonly devices: number
  readonly duration: Known<'s'>
  /** Per accelerator; the lowest on-demand price of the catalog when absent. */
  readonly price?: Known<'USD/s'>
  readonly region?: string
}

export type Economics = {
  readonly cost?: Known<'USD'>
  readonly energy: Known<'J'>
  /** Of the electricity; absent without a region. */
  readonly carbon?: Known<'gCO2e'>
  /** The run's share of the emissions from making the accelerators; absent where they are not published. */
  readonly embodied?: Known<'gCO2e'>
}

/** Four years: the depreciation that clouds state for servers is four to six. */
const LIFETIME: Known<'s'> = sourcedValue(4 * 365 * DAY, 's', { ref: 'assumed life of an accelerator in service', asOf: '2026-11' })

export function economicsOf(catalog: Catalog, input: EconomicsInput): Economics {
  const devices = givenValue(input.devices, '1')
  const time = input.duration
  const facts = input.region === undefined ? undefined : entry(catalog, 'grids', input.region).facts
  const tdp = acceleratorOf(catalog, input.accelerator).facts.tdp
  const hostPower = sourcedValue(tdp.value * HOST_POWER, 'W', {
    ref: 'estimate: hosts, network and storage at 30 % of the accelerators',
    asOf: '2026-11',
  })
  const energy = explain(runEnergy, { devices, devicePower: tdp, time, hosts: devices, hostPower, pue: facts?.pue })
  const price = input.price ?? lowestPrice(catalog, input.accelerator)
  const { embodied } = acceleratorOf(catalog, input.accelerator).facts
  return {
    ...(price && { cost: explain(instanceHours, { devices, time, hourlyPrice: price }) }),
    energy,
    ...(facts && { carbon: explain(operationalCarbon, { energy, carbonIntensity: facts.carbon }) }),
    ...(embodied && { embodied: explain(embodiedAmortized, { devices, embodied, lifetime: LIFETIME, time }) }),
  }
}

/** The cheapest on-demand list price of any provider, per accelerator. */
export function lowestPrice(catalog: Catalog, accelerator: string): Known<'USD/s'> | undefined {
  const id = acceleratorOf(catalog, accelerator).id
  const offers = [...catalog.prices.values()].flatMap(({ facts }) =>
    facts.accelerator === id && facts.of === 'accelerator-hour' && facts.onDemand ? [facts.onDemand] : [],
  )
  return offers.reduce<Known<'USD/s'> | undefined>((lowest, offer) => (lowest && lowest.value <= offer.value ? lowest : offer), undefined)
}
