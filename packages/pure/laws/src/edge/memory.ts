import { count, law, one, or } from '../law.ts'

export const imageShare = law({
  id: 'edge/image-share',
  name: 'Share of on-chip memory that one image takes',
  decides: 'whether a frame and a model fit a microcontroller',
  is: 'width * height * channels * bytesPerValue / sram',
  source: 'Machine Learning Systems vol. 2, Edge Intelligence',
  validity: 'the whole frame held at once; activations and weights come on top',
  inputs: { width: count, height: count, channels: count, bytesPerValue: or('B', 1), sram: one('B') },
  output: 'share',
  unit: '1',
  of: ({ width, height, channels, bytesPerValue = 1, sram }) => (width * height * channels * bytesPerValue) / sram,
  also: {
    imageSize: {
      unit: 'B',
      is: 'width * height * channels * bytesPerValue',
      of: ({ width, height, channels, bytesPerValue = 1 }) => width * height * channels * bytesPerValue,
    },
  },
})

export const adapterStorage = law({
  id: 'edge/adapter-storage',
  name: 'Storage of many contexts with adapters',
  decides: 'whether to keep one model with adapters or a model for each context',
  is: 'full / adapters',
  source: 'Machine Learning Systems vol. 2, Edge Intelligence',
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
