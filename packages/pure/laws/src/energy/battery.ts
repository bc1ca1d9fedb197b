import { law, one, share } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const batteryLife = law({
  id: 'energy/battery-life',
  name: 'Battery life under a constant load',
  decides: 'whether a device lasts between charges',
  is: 'batteryEnergy / power',
  source: vol1.mlSystems,
  validity: 'the whole rated energy is usable; cells age, and deliver less at high load or in the cold',
  inputs: { batteryEnergy: one('J'), power: one('W') },
  output: 'time',
  unit: 's',
  of: ({ batteryEnergy, power }) => batteryEnergy / power,
})

export const batteryLifeExtraLoad = law({
  id: 'energy/battery-life-extra-load',
  name: 'Battery life with a load added',
  decides: 'how much of the day a background model costs',
  is: 'batteryEnergy / (batteryEnergy / baselineLife + extraPower)',
  source: vol1.mlSystems,
  validity: 'constant loads that simply add',
  inputs: { batteryEnergy: one('J'), baselineLife: one('s'), extraPower: one('W') },
  output: 'time',
  unit: 's',
  of: ({ batteryEnergy, baselineLife, extraPower }) => batteryEnergy / (batteryEnergy / baselineLife + extraPower),
  also: { lostShare: { unit: '1', is: '1 - time / baselineLife', of: ({ baselineLife }, time) => 1 - time / baselineLife } },
})

export const batteryQueries = law({
  id: 'energy/battery-queries',
  name: 'Inferences per battery charge',
  decides: 'which model a battery can carry',
  is: 'batteryEnergy / energyPerInference',
  source: vol1.mlSystems,
  validity: 'no other load on the battery',
  inputs: { batteryEnergy: one('J'), energyPerInference: one('J') },
  output: 'queries',
  unit: '1',
  of: ({ batteryEnergy, energyPerInference }) => batteryEnergy / energyPerInference,
})

export const dutyCycle = law({
  id: 'energy/duty-cycle',
  name: 'Mean power of a duty-cycled device',
  decides: 'whether to make inference rarer or idling cheaper',
  is: 'dutyCycle * activePower + (1 - dutyCycle) * idlePower',
  source: vol2.sustainableAI,
  validity: 'two states; the energy of waking up is part of the active time',
  inputs: { dutyCycle: share, activePower: one('W'), idlePower: one('W') },
  output: 'power',
  unit: 'W',
  of: ({ dutyCycle: duty, activePower, idlePower }) => duty * activePower + (1 - duty) * idlePower,
})

export const offloadRatio = law({
  id: 'energy/offload-ratio',
  name: 'Energy of sending data against computing on it',
  decides: 'whether to compute on the device or to send the data away',
  is: 'bytes * energyPerByte / localEnergy',
  source: vol1.mlSystems,
  validity: 'the energy of the device alone; above 1 computing on the device is cheaper',
  inputs: { bytes: one('B'), energyPerByte: one('J/B'), localEnergy: one('J') },
  output: 'ratio',
  unit: '1',
  of: ({ bytes, energyPerByte, localEnergy }) => (bytes * energyPerByte) / localEnergy,
  also: { transmitEnergy: { unit: 'J', is: 'bytes * energyPerByte', of: ({ bytes, energyPerByte }) => bytes * energyPerByte } },
})
