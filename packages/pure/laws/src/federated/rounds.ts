import { count, law, maybe, one } from '../law.ts'
import { vol2 } from '../sources.ts'

export const federatedRoundsIid = law({
  id: 'federated/rounds-iid',
  name: 'Federated rounds with alike clients',
  decides: 'how many rounds a federated training needs',
  is: 'gradientStd^2 / (clientsPerRound * localEpochs * gap^2)',
  source: vol2.edgeIntelligence,
  validity: 'clients draw from one distribution; an order of magnitude, constants of the bound set to 1',
  inputs: { gradientStd: one('1'), clientsPerRound: count, localEpochs: count, gap: one('1') },
  output: 'rounds',
  unit: '1',
  of: ({ gradientStd, clientsPerRound, localEpochs, gap }) => (gradientStd / gap) ** 2 / (clientsPerRound * localEpochs),
  also: {
    clientEpochs: {
      unit: '1',
      is: 'rounds * clientsPerRound * localEpochs',
      of: ({ clientsPerRound, localEpochs }, rounds) => rounds * clientsPerRound * localEpochs,
    },
  },
})

// Both terms of the bound count. With few local epochs the first one binds; the chapter looks at the second alone.
export const federatedRoundsNonIid = law({
  id: 'federated/rounds-non-iid',
  name: 'Federated rounds with unlike clients',
  decides: 'how many local epochs to run before clients drift apart',
  is: 'max(gradientStd^2 / (clientsPerRound * localEpochs * gap^2), heterogeneity^2 * localEpochs^2 / gap)',
  source: vol2.edgeIntelligence,
  validity: 'an order of magnitude, constants of the bound set to 1; where gradientStd is left out the heterogeneity stands for it',
  holds: ({ heterogeneity, gradientStd = heterogeneity }) => gradientStd > 0,
  inputs: { heterogeneity: one('1'), gradientStd: maybe('1'), clientsPerRound: count, localEpochs: count, gap: one('1') },
  output: 'rounds',
  unit: '1',
  of: ({ heterogeneity, gradientStd = heterogeneity, clientsPerRound, localEpochs, gap }) =>
    Math.max((gradientStd / gap) ** 2 / (clientsPerRound * localEpochs), (heterogeneity * localEpochs) ** 2 / gap),
  also: {
    clientEpochs: {
      unit: '1',
      is: 'rounds * clientsPerRound * localEpochs',
      of: ({ clientsPerRound, localEpochs }, rounds) => rounds * clientsPerRound * localEpochs,
    },
  },
})
