import { YEAR } from '@ironlaw/units'
import { count, countOr, law, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const amortizedCapex = law({
  id: 'cost/amortized-capex',
  name: 'Straight-line depreciation per year',
  decides: 'what owned hardware costs a year',
  is: '(capex - resale) * year / lifetime',
  source: vol1.mlSystems,
  validity: 'equal parts over the lifetime, no interest; accelerators lose most of their value early',
  inputs: { capex: one('USD'), lifetime: one('s'), resale: or('USD', 0) },
  output: 'annualCost',
  unit: 'USD',
  of: ({ capex, lifetime, resale = 0 }) => ((capex - resale) * YEAR) / lifetime,
})

export const nodeCapex = law({
  id: 'cost/node-capex',
  name: 'Purchase price of whole nodes',
  decides: 'what a number of devices costs to buy',
  is: 'ceil(devices / devicesPerNode) * pricePerNode',
  source: vol2.computeInfrastructure,
  validity: 'the price is that of a node, not of a device; network and facility not included',
  inputs: { devices: count, devicesPerNode: count, pricePerNode: one('USD') },
  output: 'cost',
  unit: 'USD',
  of: ({ devices, devicesPerNode, pricePerNode }) => tolerantCeil(devices / devicesPerNode) * pricePerNode,
  also: {
    nodes: { unit: '1', is: 'ceil(devices / devicesPerNode)', of: ({ devices, devicesPerNode }) => tolerantCeil(devices / devicesPerNode) },
  },
})

export const ownedAnnual = law({
  id: 'cost/owned-annual',
  name: 'Yearly cost of owned nodes',
  decides: 'what to set against a year of rent',
  is: 'pricePerNode * nodes / years + annualElectricity',
  source: vol2.computeInfrastructure,
  validity: 'straight-line depreciation; staff, network and floor not included',
  inputs: { pricePerNode: one('USD'), nodes: countOr(1), years: one('1'), annualElectricity: one('USD') },
  output: 'annualCost',
  unit: 'USD',
  of: ({ pricePerNode, nodes = 1, years, annualElectricity }) => (pricePerNode * nodes) / years + annualElectricity,
})

export const totalCost = law({
  id: 'cost/tco',
  name: 'Total cost of ownership of a cluster',
  decides: 'whether to build or to rent, over the life of the hardware',
  is: 'hardwareCost + networkCost + facilityCost + years * annualOpex',
  source: vol2.computeInfrastructure,
  validity: 'no interest and no resale; yearly costs are power, staff and maintenance together',
  inputs: { hardwareCost: one('USD'), networkCost: one('USD'), facilityCost: one('USD'), annualOpex: one('USD'), years: one('1') },
  output: 'tco',
  unit: 'USD',
  of: ({ hardwareCost, networkCost, facilityCost, annualOpex, years }) => hardwareCost + networkCost + facilityCost + years * annualOpex,
})

export const rentVsBuyUtilization = law({
  id: 'cost/rent-vs-buy-utilization',
  name: 'Utilization from which owning beats renting',
  decides: 'whether to buy devices or to rent them',
  is: 'annualOwnedCost / (devices * hourlyPrice * year)',
  source: vol2.computeInfrastructure,
  validity: 'rent is paid for used hours only, owned devices always; above 1 renting is cheaper even at full use',
  inputs: { annualOwnedCost: one('USD'), devices: count, hourlyPrice: one('USD/s') },
  output: 'utilization',
  unit: '1',
  of: ({ annualOwnedCost, devices, hourlyPrice }) => annualOwnedCost / (devices * hourlyPrice * YEAR),
})

export const breakEvenUtilization = law({
  id: 'cost/break-even-utilization',
  name: 'Utilization from which a fixed cost beats a cost per request',
  decides: 'whether to serve on own machines at the edge or from the cloud',
  is: 'fixedCost / (costPerRequest * capacityRequests)',
  source: vol1.mlSystems,
  validity: 'fixed cost and capacity over the same time; above 1 the cost per request is always cheaper',
  inputs: { fixedCost: one('USD'), costPerRequest: one('USD'), capacityRequests: one('1') },
  output: 'utilization',
  unit: '1',
  of: ({ fixedCost, costPerRequest, capacityRequests }) => fixedCost / (costPerRequest * capacityRequests),
})

export const breakEvenUses = law({
  id: 'cost/break-even-uses',
  name: 'Uses until an investment has paid for itself',
  decides: 'whether to buy, build or automate: runs, changes, months or models until the outlay is back',
  is: 'fixedCost / (costWithout - costWith)',
  source: vol2.mlOperationsAtScale,
  validity: 'the same saving at every use or period, no interest; the cost of a use falls by the investment',
  holds: ({ costWithout, costWith = 0 }) => costWith < costWithout,
  inputs: { fixedCost: one('USD'), costWithout: one('USD'), costWith: or('USD', 0) },
  output: 'uses',
  unit: '1',
  of: ({ fixedCost, costWithout, costWith = 0 }) => fixedCost / (costWithout - costWith),
})
