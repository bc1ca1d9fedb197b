import { law, one } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const doublingTime = law({
  id: 'scaling/doubling-time',
  name: 'Doubling time of a growth',
  decides: 'how soon demand outgrows what is being built',
  is: 'period / log2(growthFactor)',
  source: vol2.sustainableAI,
  validity: 'steady exponential growth over the period',
  inputs: { period: one('s'), growthFactor: one('1', { least: 1 }) },
  output: 'doublingTime',
  unit: 's',
  of: ({ period, growthFactor }) => period / Math.log2(growthFactor),
  also: { doublings: { unit: '1', is: 'log2(growthFactor)', of: ({ growthFactor }) => Math.log2(growthFactor) } },
})

export const growthDivergence = law({
  id: 'scaling/growth-divergence',
  name: 'How far two growths drift apart',
  decides: 'how much worse the memory wall, or any such gap, will be when a machine is delivered',
  is: '(growthA / growthB)^years',
  source: vol1.mlSystems,
  validity: 'both grow by a constant factor a year',
  inputs: { growthA: one('1'), growthB: one('1'), years: one('1') },
  output: 'ratio',
  unit: '1',
  of: ({ growthA, growthB, years }) => (growthA / growthB) ** years,
})

export const growthGap = law({
  id: 'scaling/growth-gap',
  name: 'Demand growth that efficiency gains do not cover',
  decides: 'how much more power or money a growth in demand needs in spite of better hardware',
  is: 'growthFactor / annualGain^years',
  source: vol2.sustainableAI,
  validity: 'gain of the same factor every year',
  inputs: { growthFactor: one('1'), annualGain: one('1'), years: one('1') },
  output: 'ratio',
  unit: '1',
  of: ({ growthFactor, annualGain, years }) => growthFactor / annualGain ** years,
})
