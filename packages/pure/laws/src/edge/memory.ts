import { count, law, one } from '../law.ts'
import { vol2 } from '../sources.ts'

export const adapterStorage = law({
  id: 'edge/adapter-storage',
  name: 'Storage of many contexts with adapters',
  decides: 'whether to keep one model with adapters or a model for each context',
  is: 'full / adapters',
  source: vol2.edgeIntelligence,
  validity: 'all contexts share one frozen model; adapters of equal size',
  inputs: { contexts: count, modelSize: one('B'), adapterSize: one('B') },
  output: 'ratio',
  unit: '1',
  of: ({ contexts, modelSize, adapterSize }) => (contexts * modelSize) / (modelSize + contexts * adapterSize),
  also: {
    full: { unit: 'B', is: 'contexts * modelSize', of: ({ contexts, modelSize }) => contexts * modelSize },
    adapters: {
      unit: 'B',
      is: 'modelSize + contexts * adapterSize',
      of: ({ contexts, modelSize, adapterSize }) => modelSize + contexts * adapterSize,
    },
  },
})
