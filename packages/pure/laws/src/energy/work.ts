import { count, countOr, law, maybe, one, or, shareOr } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const loadEnergy = law({
  id: 'energy/power-time',
  name: 'Energy of a load over time',
  decides: 'what a run, an inference or a site consumes',
  is: 'power * time * count * loadFactor',
  source: vol1.benchmarking,
  validity: 'power measured over the whole window, idle parts of the pipeline included',
  inputs: { power: one('W'), time: one('s'), count: countOr(1), loadFactor: shareOr(1) },
  output: 'energy',
  unit: 'J',
  of: ({ power, time, count: times = 1, loadFactor = 1 }) => power * time * times * loadFactor,
})

export const runEnergy = law({
  id: 'energy/training-run',
  name: 'Facility energy of a run',
  decides: 'what a training run draws from the grid',
  is: '(devices * devicePower + hosts * hostPower) * time * pue',
  source: vol1.modelTraining,
  validity: 'mean power, not the rating of the board; power usage effectiveness of the site over the same time',
  holds: ({ pue = 1 }) => pue >= 1,
  inputs: { devices: count, devicePower: one('W'), time: one('s'), hosts: or('1', 0), hostPower: or('W', 0), pue: or('1', 1) },
  output: 'energy',
  unit: 'J',
  of: ({ devices, devicePower, time, hosts = 0, hostPower = 0, pue = 1 }) => (devices * devicePower + hosts * hostPower) * time * pue,
})

export const energyFromWork = law({
  id: 'energy/from-work',
  name: 'Energy of a number of operations',
  decides: 'what a training run draws, from its operations alone',
  is: 'flops / flopsPerJoule * pue',
  source: vol2.sustainableAI,
  validity: 'the efficiency is the sustained one of whole nodes, a small part of peak operations per watt of the board',
  holds: ({ pue = 1 }) => pue >= 1,
  inputs: { flops: one('FLOP'), flopsPerJoule: one('FLOP'), pue: or('1', 1) },
  output: 'facilityEnergy',
  unit: 'J',
  of: ({ flops, flopsPerJoule, pue = 1 }) => (flops / flopsPerJoule) * pue,
  also: {
    itEnergy: { unit: 'J', is: 'flops / flopsPerJoule', of: ({ flops, flopsPerJoule }) => flops / flopsPerJoule },
  },
})

export const flopsPerJoule = law({
  id: 'energy/flops-per-joule',
  name: 'Operations per joule',
  decides: 'which accelerator does most within a power budget',
  is: 'flopsRate / power',
  source: vol2.computeInfrastructure,
  validity: 'rate and power of the same precision and the same load; dense rates, unless the model is sparse',
  inputs: { flopsRate: one('FLOP/s'), power: one('W') },
  output: 'flopsPerJoule',
  unit: 'FLOP',
  of: ({ flopsRate, power }) => flopsRate / power,
})

export const efficiencyRatio = law({
  id: 'energy/efficiency-ratio',
  name: 'Energy efficiency of one device against another',
  decides: 'whether a new generation saves energy for the same work',
  is: 'flopsRateA / powerA / (flopsRateB / powerB)',
  source: vol2.computeInfrastructure,
  validity: 'both rates at one precision, both dense or both sparse, both peak or both sustained',
  inputs: { flopsRateA: one('FLOP/s'), powerA: one('W'), flopsRateB: one('FLOP/s'), powerB: one('W') },
  output: 'ratio',
  unit: '1',
  of: ({ flopsRateA, powerA, flopsRateB, powerB }) => flopsRateA / powerA / (flopsRateB / powerB),
})

export const energyPerQuery = law({
  id: 'energy/per-query',
  name: 'Energy per query',
  decides: 'which serving configuration uses least energy for the traffic',
  is: 'power / requestRate',
  source: vol1.benchmarking,
  validity: 'steady load; power of the whole system, idle share included',
  inputs: { power: one('W'), requestRate: one('1/s') },
  output: 'energyPerQuery',
  unit: 'J',
  of: ({ power, requestRate }) => power / requestRate,
})

export const energyPerToken = law({
  id: 'energy/per-token',
  name: 'Energy per generated token',
  decides: 'what an answer costs in energy, and what idle capacity adds',
  is: 'power / tokenRate',
  source: vol1.modelServing,
  validity: 'steady load; power of the whole host at that rate',
  inputs: { power: one('W'), tokenRate: one('token/s'), tokens: maybe('token') },
  output: 'energyPerToken',
  unit: 'J/token',
  of: ({ power, tokenRate }) => power / tokenRate,
  also: { energy: { unit: 'J', is: 'energyPerToken * tokens', of: ({ tokens = Number.NaN }, each) => each * tokens } },
})

export const servingEnergy = law({
  id: 'energy/inference-total',
  name: 'Energy of serving against training',
  decides: 'whether to spend effort on training or on inference efficiency',
  is: 'requestsPerDay * days * serviceTime * power',
  source: vol2.sustainableAI,
  validity: 'constant traffic; the device time of a request at full power, idle time not counted',
  inputs: { requestsPerDay: one('1'), days: one('1'), serviceTime: one('s'), power: one('W'), trainingEnergy: one('J') },
  output: 'energy',
  unit: 'J',
  of: ({ requestsPerDay, days, serviceTime, power }) => requestsPerDay * days * serviceTime * power,
  also: { ratio: { unit: '1', is: 'energy / trainingEnergy', of: ({ trainingEnergy }, energy) => energy / trainingEnergy } },
})
