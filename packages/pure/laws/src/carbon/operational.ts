import { DAY } from '@ironlaw/units'
import { runEnergy } from '../energy/work.ts'
import { composite, count, countOr, law, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'

const TONNE = 1e6

export const operationalCarbon = law({
  id: 'carbon/operational',
  name: 'Carbon of energy use',
  decides: 'where and when to run for fewer emissions',
  is: '(energy + devices * power * time) * carbonIntensity',
  source: vol2.sustainableAI,
  validity: 'facility energy, and the grid of that place and time; metered energy and a load over time add, so give each consumer once',
  inputs: { energy: or('J', 0), devices: countOr(1), power: or('W', 0), time: or('s', 0), carbonIntensity: one('gCO2e/J') },
  output: 'carbon',
  unit: 'gCO2e',
  of: ({ energy = 0, devices = 1, power = 0, time = 0, carbonIntensity }) => (energy + devices * power * time) * carbonIntensity,
})

export const runCarbon = composite({
  id: 'carbon/training-run',
  name: 'Operational carbon of a training run',
  decides: 'which region and which site to train in',
  is: 'devices * devicePower * time * pue * carbonIntensity',
  source: vol2.sustainableAI,
  validity: 'mean power of the devices; hosts and network only as far as they are part of it',
  holds: ({ pue }) => pue >= 1,
  inputs: { devices: count, devicePower: one('W'), time: one('s'), pue: one('1'), carbonIntensity: one('gCO2e/J') },
  output: 'carbon',
  unit: 'gCO2e',
  via: ({ devices, devicePower, time, pue, carbonIntensity }, apply) =>
    apply(operationalCarbon, { energy: apply(runEnergy, { devices, devicePower, time, pue }), carbonIntensity }),
  also: {
    itEnergy: { unit: 'J', is: 'devices * devicePower * time', of: ({ devices, devicePower, time }) => devices * devicePower * time },
    facilityEnergy: {
      unit: 'J',
      is: 'itEnergy * pue',
      of: ({ devices, devicePower, time, pue }) => devices * devicePower * time * pue,
    },
  },
})

export const servingCarbon = law({
  id: 'carbon/serving',
  name: 'Carbon of serving a model',
  decides: 'when serving overtakes training in emissions',
  is: 'requestsPerDay * 365 * energyPerRequest * carbonIntensity',
  source: vol2.sustainableAI,
  validity: 'constant traffic and intensity; facility energy per request',
  inputs: { requestsPerDay: one('1'), energyPerRequest: one('J'), carbonIntensity: one('gCO2e/J'), trainingCarbon: one('gCO2e') },
  output: 'carbonPerYear',
  unit: 'gCO2e',
  of: ({ requestsPerDay, energyPerRequest, carbonIntensity }) => requestsPerDay * 365 * energyPerRequest * carbonIntensity,
  also: {
    energyPerYear: {
      unit: 'J',
      is: 'requestsPerDay * 365 * energyPerRequest',
      of: ({ requestsPerDay, energyPerRequest }) => requestsPerDay * 365 * energyPerRequest,
    },
    overtakeTime: {
      unit: 's',
      is: 'trainingCarbon / (requestsPerDay * energyPerRequest * carbonIntensity) * day',
      of: ({ requestsPerDay, energyPerRequest, carbonIntensity, trainingCarbon }) =>
        (trainingCarbon / (requestsPerDay * energyPerRequest * carbonIntensity)) * DAY,
    },
  },
})

export const taxedCost = law({
  id: 'carbon/taxed-cost',
  name: 'Energy cost with a carbon price',
  decides: 'in which region a run is cheapest when emissions have a price',
  is: 'energy * pue * (energyPrice + carbonIntensity * carbonTaxPerTonne / 1e6)',
  source: vol2.sustainableAI,
  validity: 'energy of the machines; a tax or an internal price on operational emissions',
  holds: ({ pue = 1 }) => pue >= 1,
  inputs: {
    energy: one('J'),
    pue: or('1', 1),
    energyPrice: one('USD/J'),
    carbonIntensity: one('gCO2e/J'),
    carbonTaxPerTonne: one('USD'),
  },
  output: 'total',
  unit: 'USD',
  of: ({ energy, pue = 1, energyPrice, carbonIntensity, carbonTaxPerTonne }) =>
    energy * pue * (energyPrice + (carbonIntensity * carbonTaxPerTonne) / TONNE),
  also: {
    energyCost: { unit: 'USD', is: 'energy * pue * energyPrice', of: ({ energy, pue = 1, energyPrice }) => energy * pue * energyPrice },
    carbon: {
      unit: 'gCO2e',
      is: 'energy * pue * carbonIntensity',
      of: ({ energy, pue = 1, carbonIntensity }) => energy * pue * carbonIntensity,
    },
  },
})

export const softwareCarbonIntensity = law({
  id: 'carbon/software-intensity',
  name: 'Software carbon intensity',
  decides: 'whether a release serves a unit of work with fewer emissions',
  is: '(energy * carbonIntensity + embodied) / units',
  source: 'Green Software Foundation, Software Carbon Intensity specification, ISO/IEC 21031:2024',
  validity: 'energy, embodied share and units of work over the same time; offsets and market instruments do not count',
  inputs: { energy: one('J'), carbonIntensity: one('gCO2e/J'), embodied: one('gCO2e'), units: one('1') },
  output: 'carbonPerUnit',
  unit: 'gCO2e',
  of: ({ energy, carbonIntensity, embodied, units }) => (energy * carbonIntensity + embodied) / units,
})
