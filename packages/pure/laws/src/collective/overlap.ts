import { count, law, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'

export const exposedTime = law({
  id: 'collective/exposed-time',
  name: 'Communication left over after overlap with the backward pass',
  decides: 'whether a faster network would shorten the step at all',
  is: 'max(0, communicationTime - backwardTime)',
  source: vol2.networkFabrics,
  validity: 'perfect overlap: in practice 60 to 80 percent of the communication can be hidden',
  inputs: { communicationTime: one('s'), backwardTime: one('s') },
  output: 'exposed',
  unit: 's',
  of: ({ communicationTime, backwardTime }) => Math.max(0, communicationTime - backwardTime),
})

export const layerOverlap = law({
  id: 'collective/layer-overlap',
  name: 'Backward pass with layer by layer exchange',
  decides: 'what overlapping the exchange of each layer with the next layer brings',
  is: 'layers * backwardTimePerLayer + communicationTimePerLayer + (layers - 1) * max(0, communicationTimePerLayer - backwardTimePerLayer)',
  source: vol2.collectiveCommunication,
  validity: 'equal layers, one exchange in flight at a time, the exchange takes no compute units',
  inputs: { layers: count, backwardTimePerLayer: one('s'), communicationTimePerLayer: one('s') },
  output: 'overlappedTime',
  unit: 's',
  of: ({ layers, backwardTimePerLayer, communicationTimePerLayer }) =>
    layers * backwardTimePerLayer +
    communicationTimePerLayer +
    (layers - 1) * Math.max(0, communicationTimePerLayer - backwardTimePerLayer),
  also: {
    sequentialTime: {
      unit: 's',
      is: 'layers * (backwardTimePerLayer + communicationTimePerLayer)',
      of: ({ layers, backwardTimePerLayer, communicationTimePerLayer }) => layers * (backwardTimePerLayer + communicationTimePerLayer),
    },
    reduction: {
      unit: '1',
      is: '1 - overlappedTime / sequentialTime',
      of: ({ layers, backwardTimePerLayer, communicationTimePerLayer }, overlappedTime) =>
        1 - overlappedTime / (layers * (backwardTimePerLayer + communicationTimePerLayer)),
    },
  },
})

// The processor overhead at both ends occupies the processor, so no amount of computation hides it; the book's own example forgets this.
export const logpStep = law({
  id: 'collective/logp-step',
  name: 'Step with one exchange in the LogP model',
  decides: 'how much of a message no overlap can hide',
  is: 'computeTime + 2 * processorOverhead + max(0, wireLatency - computeTime)',
  source: 'D. Culler et al., LogP: Towards a Realistic Model of Parallel Computation, PPoPP 1993',
  validity: 'one short message per step; gap between messages not limiting',
  inputs: { computeTime: one('s'), wireLatency: one('s'), processorOverhead: one('s') },
  output: 'stepTime',
  unit: 's',
  of: ({ computeTime, wireLatency, processorOverhead }) => computeTime + 2 * processorOverhead + Math.max(0, wireLatency - computeTime),
  also: {
    exposed: {
      unit: 's',
      is: '2 * processorOverhead + max(0, wireLatency - computeTime)',
      of: ({ computeTime, wireLatency, processorOverhead }) => 2 * processorOverhead + Math.max(0, wireLatency - computeTime),
    },
  },
})

export const fsdpLaunchOverhead = law({
  id: 'collective/fsdp-launch-overhead',
  name: 'Launch overhead of fully sharded training',
  decides: 'whether to group layers into larger shards',
  is: 'collectivesPerLayer * layers * launchLatency',
  source: vol2.collectiveCommunication,
  validity:
    'launches not hidden behind kernels, 25 to 50 microseconds each; three collectives per layer and step: gather, gather again, scatter',
  inputs: { layers: count, launchLatency: one('s'), collectivesPerLayer: or('1', 3) },
  output: 'overhead',
  unit: 's',
  of: ({ layers, launchLatency, collectivesPerLayer = 3 }) => collectivesPerLayer * layers * launchLatency,
})

export const collectiveEnergy = law({
  id: 'collective/energy',
  name: 'Energy of moving an all-reduce over the network',
  decides: 'what the gradient exchange adds to the energy of a step',
  is: 'devices * bytes * 8 * 2 * energyPerBit',
  source: vol2.collectiveCommunication,
  validity: 'each byte leaves a device twice, many devices; energyPerBit covers the whole path, optics and switches included',
  inputs: { devices: count, bytes: one('B'), energyPerBit: one('J') },
  output: 'energy',
  unit: 'J',
  of: ({ devices, bytes, energyPerBit }) => devices * bytes * 8 * 2 * energyPerBit,
})
