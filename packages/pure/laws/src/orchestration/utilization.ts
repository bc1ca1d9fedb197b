import { YEAR } from '@ironlaw/units'
import { count, law, list, maybe, one, share } from '../law.ts'
import { vol2 } from '../sources.ts'
import { tolerantFloor, tolerantCeil } from '../whole.ts'

export const idleCost = law({
  id: 'orchestration/idle-cost',
  name: 'Cost of idle devices',
  decides: 'what better scheduling may cost',
  is: 'devices * (1 - utilization) * hourlyPrice * time',
  source: vol2.fleetOrchestration,
  validity: 'devices are paid for whether they work or not',
  inputs: { devices: count, utilization: share, hourlyPrice: one('USD/s'), time: one('s') },
  output: 'cost',
  unit: 'USD',
  of: ({ devices, utilization, hourlyPrice, time }) => devices * (1 - utilization) * hourlyPrice * time,
  also: {
    idleDevices: { unit: '1', is: 'devices * (1 - utilization)', of: ({ devices, utilization }) => devices * (1 - utilization) },
  },
})

export const utilizationGain = law({
  id: 'orchestration/utilization-gain',
  name: 'Worth of a higher fleet utilization',
  decides: 'whether to improve the scheduler or to buy devices',
  is: '(utilizationAfter - utilizationBefore) / utilizationBefore',
  source: vol2.fleetOrchestration,
  // Two counts that are easily mixed up: devices of the old utilization that would do the same extra work, and points of the fleet.
  validity: 'useful work in proportion to utilization; values per year',
  inputs: { devices: count, utilizationBefore: share, utilizationAfter: share, hourlyPrice: maybe('USD/s') },
  output: 'relativeGain',
  unit: '1',
  of: ({ utilizationBefore, utilizationAfter }) => (utilizationAfter - utilizationBefore) / utilizationBefore,
  also: {
    equivalentDevices: { unit: '1', is: 'devices * relativeGain', of: ({ devices }, gain) => devices * gain },
    pointDevices: {
      unit: '1',
      is: 'devices * (utilizationAfter - utilizationBefore)',
      of: ({ devices, utilizationBefore, utilizationAfter }) => devices * (utilizationAfter - utilizationBefore),
    },
    equivalentValue: {
      unit: 'USD',
      is: 'equivalentDevices * hourlyPrice * year',
      of: ({ devices, hourlyPrice = Number.NaN }, gain) => devices * gain * hourlyPrice * YEAR,
    },
    pointValue: {
      unit: 'USD',
      is: 'pointDevices * hourlyPrice * year',
      of: ({ devices, utilizationBefore, utilizationAfter, hourlyPrice = Number.NaN }) =>
        devices * (utilizationAfter - utilizationBefore) * hourlyPrice * YEAR,
    },
  },
})

export const sharingDividend = law({
  id: 'orchestration/sharing-dividend',
  name: 'Dividend of a shared pool',
  decides: 'whether teams should share devices instead of owning them',
  is: '1 - dedicatedUtilization / sharedUtilization',
  source: vol2.mlOperationsAtScale,
  validity: 'the peaks of the teams do not coincide',
  holds: ({ dedicatedUtilization, sharedUtilization }) => dedicatedUtilization <= sharedUtilization,
  inputs: { dedicatedUtilization: share, sharedUtilization: share, annualCost: maybe('USD') },
  output: 'hardwareCut',
  unit: '1',
  of: ({ dedicatedUtilization, sharedUtilization }) => 1 - dedicatedUtilization / sharedUtilization,
  also: {
    throughputGain: {
      unit: '1',
      is: 'sharedUtilization / dedicatedUtilization',
      of: ({ dedicatedUtilization, sharedUtilization }) => sharedUtilization / dedicatedUtilization,
    },
    saving: { unit: 'USD', is: 'annualCost * hardwareCut', of: ({ annualCost = Number.NaN }, cut) => annualCost * cut },
  },
})

export const overcommit = law({
  id: 'orchestration/overcommit',
  name: 'Load of an over-committed pool',
  decides: 'how far quotas may exceed the devices',
  is: 'meanUtilization * ratio',
  source: vol2.fleetOrchestration,
  validity: 'the mean of many independent users; above 1 somebody waits at the mean, and peaks wait earlier',
  holds: ({ meanUtilization, ratio }) => meanUtilization * ratio <= 1,
  inputs: { meanUtilization: share, ratio: one('1') },
  output: 'demand',
  unit: '1',
  of: ({ meanUtilization, ratio }) => meanUtilization * ratio,
  also: { mostRatio: { unit: '1', is: '1 / meanUtilization', of: ({ meanUtilization }) => 1 / meanUtilization } },
})

export const packingEfficiency = law({
  id: 'orchestration/packing-efficiency',
  name: 'Packing of equal jobs on nodes',
  decides: 'which job sizes leave devices of a node stranded',
  is: 'floor(devicesPerNode / devicesPerJob) * devicesPerJob / devicesPerNode',
  source: vol2.fleetOrchestration,
  validity: 'jobs of one size that must not span nodes, and nothing smaller to fill the gaps',
  inputs: { devicesPerNode: count, devicesPerJob: count },
  output: 'efficiency',
  unit: '1',
  of: ({ devicesPerNode, devicesPerJob }) => (tolerantFloor(devicesPerNode / devicesPerJob) * devicesPerJob) / devicesPerNode,
})

export const modelPacking = law({
  id: 'orchestration/model-packing',
  name: 'Devices for many small and some large models',
  decides: 'how many devices a catalog of served models occupies, and what sharing saves',
  is: 'ceil(smallModels / modelsPerDevice) + largeModels * devicesPerLargeModel',
  source: vol2.fleetOrchestration,
  validity: 'small models fit together in memory and in their joint load; a large model occupies whole devices',
  inputs: { smallModels: one('1'), modelsPerDevice: count, largeModels: one('1'), devicesPerLargeModel: one('1') },
  output: 'devices',
  unit: '1',
  of: ({ smallModels, modelsPerDevice, largeModels, devicesPerLargeModel }) =>
    tolerantCeil(smallModels / modelsPerDevice) + largeModels * devicesPerLargeModel,
})

export const maxMinLevel = law({
  id: 'orchestration/max-min-level',
  name: 'Max-min fair level',
  decides: 'what each tenant gets when demands exceed the capacity: its demand up to this level',
  is: 'text: the level at which sum(min(demand, level)) = capacity, by progressive filling; the largest demand where all are served',
  source: 'D. Bertsekas, R. Gallager, Data Networks, 1987: max-min flow control',
  validity: 'tenants of equal weight, capacity divisible at will',
  inputs: { capacity: one('1/s'), demand: list('1/s') },
  output: 'level',
  unit: '1/s',
  // Every round serves the demands below the level in full and splits the rest anew; the level only rises, at most once per tenant.
  of: ({ capacity, demand }) => {
    let level = capacity / demand.length
    for (const _ of demand) {
      let left: number = capacity
      let waiting = 0
      for (const wanted of demand) {
        if (wanted <= level) left -= wanted
        else waiting += 1
      }
      if (waiting === 0) return Math.max(...demand)
      level = left / waiting
    }
    return level
  },
})

export const usageDecay = law({
  id: 'orchestration/usage-decay',
  name: 'Half-life weight of past usage',
  decides: 'how soon a heavy user regains fair-share priority',
  is: '0.5 ^ (age / halfLife)',
  source: vol2.fleetOrchestration,
  validity: 'fair-share accounting with exponential decay, as batch schedulers keep it',
  inputs: { age: one('s'), halfLife: one('s') },
  output: 'weight',
  unit: '1',
  of: ({ age, halfLife }) => 0.5 ** (age / halfLife),
})
