import { DAY } from '@ironlaw/units'
import { count, law, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'

export const embodiedAmortized = law({
  id: 'carbon/embodied-amortized',
  name: 'Embodied carbon of a run',
  decides: 'what share of the making of the devices a run answers for',
  is: 'devices * embodied * time / lifetime',
  source: 'U. Gupta et al., ACT: designing sustainable computer systems with an architectural carbon modeling tool, ISCA 2022',
  validity: 'straight over the lifetime in service; a run is never charged with whole devices',
  holds: ({ time, lifetime }) => time <= lifetime,
  inputs: { devices: count, embodied: one('gCO2e'), lifetime: one('s'), time: one('s') },
  output: 'carbon',
  unit: 'gCO2e',
  of: ({ devices, embodied, lifetime, time }) => (devices * embodied * time) / lifetime,
  also: {
    perDevicePerDay: { unit: 'gCO2e', is: 'embodied * day / lifetime', of: ({ embodied, lifetime }) => (embodied * DAY) / lifetime },
  },
})

export const embodiedParity = law({
  id: 'carbon/embodied-parity',
  name: 'Time until use outweighs the making of a device',
  decides: 'whether making or running a device dominates its footprint',
  is: 'embodied / (devicePower * pue * carbonIntensity)',
  source: vol2.sustainableAI,
  validity: 'constant load and intensity; a clean grid makes it years',
  inputs: { embodied: one('gCO2e'), devicePower: one('W'), pue: or('1', 1, { least: 1 }), carbonIntensity: one('gCO2e/J') },
  output: 'time',
  unit: 's',
  of: ({ embodied, devicePower, pue = 1, carbonIntensity }) => embodied / (devicePower * pue * carbonIntensity),
})

export const lifecycle = law({
  id: 'carbon/lifecycle',
  name: 'Lifecycle carbon',
  decides: 'whether to work on energy or on hardware life',
  is: 'operational + embodied',
  source: vol2.sustainableAI,
  validity: 'both over the same time and the same devices',
  inputs: { operational: one('gCO2e'), embodied: one('gCO2e') },
  output: 'total',
  unit: 'gCO2e',
  of: ({ operational, embodied }) => operational + embodied,
  also: {
    // Share of the total and ratio to the operational part are easily taken for each other.
    embodiedShare: { unit: '1', is: 'embodied / total', of: ({ embodied }, total) => embodied / total },
    embodiedToOperational: { unit: '1', is: 'embodied / operational', of: ({ operational, embodied }) => embodied / operational },
  },
})

export const lifetimeExtension = law({
  id: 'carbon/lifetime-extension',
  name: 'Embodied carbon saved by a longer life',
  decides: 'whether to keep devices longer',
  is: '1 - oldLifetime / newLifetime',
  source: vol2.sustainableAI,
  validity: 'embodied carbon per year of service; the energy of older devices is counted elsewhere',
  inputs: { oldLifetime: one('s'), newLifetime: one('s') },
  output: 'reduction',
  unit: '1',
  of: ({ oldLifetime, newLifetime }) => 1 - oldLifetime / newLifetime,
})
