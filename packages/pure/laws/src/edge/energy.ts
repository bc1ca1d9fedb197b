import { law, list, one, share } from '../law.ts'
import { isPaired, pairSum } from '../pairs.ts'
import { vol2 } from '../sources.ts'

export const batteryShare = law({
  id: 'edge/battery-share',
  name: 'Share of a battery that a task takes',
  decides: 'whether a background task may run on battery',
  is: 'power * time / batteryEnergy',
  source: vol2.edgeIntelligence,
  validity: 'mean power over the task; the nominal energy of the battery',
  inputs: { power: one('W'), time: one('s'), batteryEnergy: one('J') },
  output: 'share',
  unit: '1',
  of: ({ power, time, batteryEnergy }) => (power * time) / batteryEnergy,
  also: { energy: { unit: 'J', is: 'power * time', of: ({ power, time }) => power * time } },
})

export const edgeCascadeEnergy = law({
  id: 'edge/cascade-energy',
  name: 'Energy of a filter on the device before the cloud',
  decides: 'whether a first stage on the device saves energy',
  is: 'edgeEnergy + escalation * (transmitEnergy + cloudEnergy)',
  source: vol2.sustainableAI,
  validity: 'every input passes the filter; escalation is the share that goes on',
  inputs: { edgeEnergy: one('J'), escalation: share, transmitEnergy: one('J'), cloudEnergy: one('J') },
  output: 'energy',
  unit: 'J',
  of: ({ edgeEnergy, escalation, transmitEnergy, cloudEnergy }) => edgeEnergy + escalation * (transmitEnergy + cloudEnergy),
  also: {
    reduction: {
      unit: '1',
      is: '1 - energy / (transmitEnergy + cloudEnergy)',
      of: ({ transmitEnergy, cloudEnergy }, energy) => 1 - energy / (transmitEnergy + cloudEnergy),
    },
  },
})

export const wakeCascade = law({
  id: 'edge/wake-cascade',
  name: 'Power of stages that wake each other',
  decides: 'whether an always-on detector fits its power budget',
  is: 'basePower + sum(duty * stagePower)',
  source: vol2.sustainableAI,
  validity:
    'a duty for every stage, the share of all time that it runs, the product of the wake rates before it; sleep power counted in basePower',
  holds: ({ duty, stagePower }) => isPaired([duty, stagePower]),
  inputs: { basePower: one('W'), duty: list('1', { most: 1 }), stagePower: list('W'), alwaysOnPower: one('W') },
  output: 'power',
  unit: 'W',
  of: ({ basePower, duty, stagePower }) => basePower + pairSum([duty, stagePower]),
  also: { ratio: { unit: '1', is: 'alwaysOnPower / power', of: ({ alwaysOnPower }, power) => alwaysOnPower / power } },
})

export const tokenBudget = law({
  id: 'edge/token-budget',
  name: 'Tokens that a battery can train on',
  decides: 'how much fine-tuning a device may do',
  is: 'batteryEnergy * batteryShare / (energyPerParameter * params)',
  source: vol2.sustainableAI,
  validity: 'energy in proportion to parameters and tokens, as measured on the device',
  inputs: { batteryEnergy: one('J'), batteryShare: share, energyPerParameter: one('J'), params: one('1') },
  output: 'tokens',
  unit: 'token',
  of: ({ batteryEnergy, batteryShare: part, energyPerParameter, params }) => (batteryEnergy * part) / (energyPerParameter * params),
  also: {
    budget: { unit: 'J', is: 'batteryEnergy * batteryShare', of: ({ batteryEnergy, batteryShare: part }) => batteryEnergy * part },
  },
})
