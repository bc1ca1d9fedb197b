import { law, one } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const coolantFlow = law({
  id: 'power/coolant-flow',
  name: 'Coolant flow for a heat load',
  decides: 'whether air can cool a rack or liquid must',
  is: 'heat / (specificHeat * deltaTemperature)',
  source: `the heat balance of a flow, Q = m c dT; ${vol2.computeInfrastructure}`,
  validity: 'steady state, no change of phase; air 1,005 J/kg/K and 1.2 kg/m3, water 4,180 J/kg/K and 1,000 kg/m3',
  inputs: { heat: one('W'), specificHeat: one('J/kg/K'), deltaTemperature: one('K'), density: one('kg/m3') },
  output: 'massFlow',
  unit: 'kg/s',
  of: ({ heat, specificHeat, deltaTemperature }) => heat / (specificHeat * deltaTemperature),
  also: { volumeFlow: { unit: 'm3/s', is: 'massFlow / density', of: ({ density }, massFlow) => massFlow / density } },
})

export const heatFlux = law({
  id: 'power/heat-flux',
  name: 'Heat flux of a die',
  decides: 'which cooling a chip needs',
  is: 'power / area',
  source: vol2.computeInfrastructure,
  validity: 'the mean over the die; hot spots reach several times as much',
  inputs: { power: one('W'), area: one('m2') },
  output: 'heatFlux',
  unit: 'W/m2',
  of: ({ power, area }) => power / area,
})

export const voltageScaling = law({
  id: 'power/voltage-scaling',
  name: 'Dynamic power saved by a lower voltage',
  decides: 'what undervolting brings',
  is: '1 - (newVoltage / oldVoltage) ^ 2',
  source: 'A. P. Chandrakasan, S. Sheng, R. W. Brodersen, Low-power CMOS digital design, IEEE JSSC 27(4), 1992',
  validity: 'switching power at an unchanged clock; leakage not counted',
  inputs: { oldVoltage: one('V'), newVoltage: one('V') },
  output: 'reduction',
  unit: '1',
  of: ({ oldVoltage, newVoltage }) => 1 - (newVoltage / oldVoltage) ** 2,
})

export const frequencyCubic = law({
  id: 'power/frequency-cubic',
  name: 'Power against clock with the voltage following',
  decides: 'whether a power cap or a slower clock is the cheaper way to fewer watts',
  is: 'frequencyRatio ^ 3',
  source: vol1.mlSystems,
  validity: 'voltage in proportion to the clock, switching power only; near the lowest voltage the exponent falls toward 1',
  inputs: { frequencyRatio: one('1') },
  output: 'powerRatio',
  unit: '1',
  of: ({ frequencyRatio }) => frequencyRatio ** 3,
  also: { energyRatio: { unit: '1', is: 'frequencyRatio ^ 2', of: ({ frequencyRatio }) => frequencyRatio ** 2 } },
})
