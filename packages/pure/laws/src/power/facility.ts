import { YEAR } from '@ironlaw/units'
import { composite, count, law, maybe, one, or, share } from '../law.ts'
import { vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const itLoad = law({
  id: 'power/it-load',
  name: 'Power of the machines',
  decides: 'whether devices fit the power of a rack or a room',
  is: 'devices * devicePower * (1 + nonAcceleratorFraction)',
  source: vol2.computeInfrastructure,
  validity: 'hosts, network and conversion as a fraction of the accelerators, about one half; size cooling for all devices at full power',
  inputs: { devices: count, devicePower: one('W'), nonAcceleratorFraction: or('1', 0) },
  output: 'power',
  unit: 'W',
  of: ({ devices, devicePower, nonAcceleratorFraction = 0 }) => devices * devicePower * (1 + nonAcceleratorFraction),
})

export const facilityPower = law({
  id: 'power/facility',
  name: 'Facility power from power usage effectiveness',
  decides: 'how much grid connection a load needs',
  is: 'itPower * pue',
  source: 'The Green Grid, PUE: a comprehensive examination of the metric, white paper 49, 2012',
  validity: 'effectiveness at this load and in this season; it measures overhead, not greenness',
  holds: ({ pue }) => pue >= 1,
  inputs: { itPower: one('W'), pue: one('1') },
  output: 'facilityPower',
  unit: 'W',
  of: ({ itPower, pue }) => itPower * pue,
  also: { overheadPower: { unit: 'W', is: 'facilityPower - itPower', of: ({ itPower }, facility) => facility - itPower } },
})

export const facilityFromDevices = composite({
  id: 'power/facility-from-devices',
  name: 'Facility power of a number of devices',
  decides: 'whether a site can host a cluster',
  is: 'devices * devicePower * (1 + nonAcceleratorFraction) * pue',
  source: vol2.computeInfrastructure,
  validity: 'all devices at the given power; hosts and network as a fraction of the accelerators',
  holds: ({ pue }) => pue >= 1,
  inputs: { devices: count, devicePower: one('W'), nonAcceleratorFraction: or('1', 0), pue: one('1') },
  output: 'facilityPower',
  unit: 'W',
  via: ({ devices, devicePower, nonAcceleratorFraction, pue }, apply) =>
    apply(facilityPower, { itPower: apply(itLoad, { devices, devicePower, nonAcceleratorFraction }), pue }),
  also: { itPower: { unit: 'W', is: 'facilityPower / pue', of: ({ pue }, facility) => facility / pue } },
})

export const pueSaving = law({
  id: 'power/pue-saving',
  name: 'Saving of a better power usage effectiveness',
  decides: 'what better cooling may cost',
  is: 'itPower * (pueBefore - pueAfter)',
  source: vol2.sustainableAI,
  validity: 'the machines draw the same power all year; energy and cost per year',
  inputs: { itPower: one('W'), pueBefore: one('1', { least: 1 }), pueAfter: one('1', { least: 1 }), energyPrice: maybe('USD/J') },
  output: 'powerSaved',
  unit: 'W',
  of: ({ itPower, pueBefore, pueAfter }) => itPower * (pueBefore - pueAfter),
  also: {
    energySaved: { unit: 'J', is: 'powerSaved * year', of: (_, powerSaved) => powerSaved * YEAR },
    costSaved: {
      unit: 'USD',
      is: 'energySaved * energyPrice',
      of: ({ energyPrice = Number.NaN }, powerSaved) => powerSaved * YEAR * energyPrice,
    },
    reduction: {
      unit: '1',
      is: 'powerSaved / (itPower * pueBefore)',
      of: ({ pueBefore, pueAfter }) => (pueBefore - pueAfter) / pueBefore,
    },
  },
})

export const distributionSaving = law({
  id: 'power/distribution-saving',
  name: 'Saving of better power distribution',
  decides: 'whether busbars or a higher voltage pay',
  is: 'rackPower * savingFraction * racks',
  source: vol2.computeInfrastructure,
  validity: 'racks at constant load; the saving as a share of rack power',
  inputs: { rackPower: one('W'), savingFraction: share, racks: count, time: one('s'), energyPrice: one('USD/J') },
  output: 'total',
  unit: 'W',
  of: ({ rackPower, savingFraction, racks }) => rackPower * savingFraction * racks,
  also: {
    perRack: { unit: 'W', is: 'rackPower * savingFraction', of: ({ rackPower, savingFraction }) => rackPower * savingFraction },
    costSaved: { unit: 'USD', is: 'total * time * energyPrice', of: ({ time, energyPrice }, total) => total * time * energyPrice },
  },
})

export const racks = law({
  id: 'power/racks',
  name: 'Racks for a number of devices',
  decides: 'how much floor and feed a cluster takes',
  is: 'ceil(devices / devicesPerRack)',
  source: vol2.computeInfrastructure,
  validity: 'whole racks, each at its full power',
  inputs: { devices: count, devicesPerRack: count, rackPower: one('W') },
  output: 'racks',
  unit: '1',
  of: ({ devices, devicesPerRack }) => tolerantCeil(devices / devicesPerRack),
  also: { power: { unit: 'W', is: 'racks * rackPower', of: ({ rackPower }, needed) => needed * rackPower } },
})

export const powerRamp = law({
  id: 'power/ramp',
  name: 'Power ramp of a synchronous fleet',
  decides: 'whether the supply and the grid stand the swing between phases of a step',
  is: 'devices * (highPower - lowPower) / transition',
  source: vol2.computeInfrastructure,
  validity: 'all devices change phase together, nothing smooths the swing',
  inputs: { devices: count, lowPower: one('W'), highPower: one('W'), transition: one('s') },
  output: 'rampRate',
  unit: 'W/s',
  of: ({ devices, lowPower, highPower, transition }) => (devices * (highPower - lowPower)) / transition,
  also: {
    deltaPower: {
      unit: 'W',
      is: 'devices * (highPower - lowPower)',
      of: ({ devices, lowPower, highPower }) => devices * (highPower - lowPower),
    },
  },
})
