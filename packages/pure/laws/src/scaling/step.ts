import { ringAllReduce } from '../collective/all-reduce.ts'
import { composite, count, law, one, or, share, shareOr } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const stepEfficiency = law({
  id: 'scaling/step-efficiency',
  name: 'Efficiency of a step with communication',
  decides: 'how much of the accelerators the network costs',
  is: 'computeTime / (computeTime + communicationTime * (1 - overlap))',
  source: vol2.distributedTraining,
  validity: 'weak scaling: computeTime is that of one device and does not change; overlap costs no compute',
  inputs: { computeTime: one('s'), communicationTime: one('s'), overlap: shareOr(0) },
  output: 'efficiency',
  unit: '1',
  of: ({ computeTime, communicationTime, overlap = 0 }) => computeTime / (computeTime + communicationTime * (1 - overlap)),
  also: {
    stepTime: {
      unit: 's',
      is: 'computeTime + communicationTime * (1 - overlap)',
      of: ({ computeTime, communicationTime, overlap = 0 }) => computeTime + communicationTime * (1 - overlap),
    },
    communicationFraction: { unit: '1', is: '1 - efficiency', of: (_, efficiency) => 1 - efficiency },
  },
})

export const effectiveDevices = law({
  id: 'scaling/effective-devices',
  name: 'Devices that a cluster is worth',
  decides: 'how much of a cluster does useful work',
  is: 'devices * scalingEfficiency * mfu',
  source: vol2.computeInfrastructure,
  validity: 'the two losses are independent and neither already contains the other',
  inputs: { devices: count, scalingEfficiency: share, mfu: shareOr(1) },
  output: 'effectiveDevices',
  unit: '1',
  of: ({ devices, scalingEfficiency, mfu = 1 }) => devices * scalingEfficiency * mfu,
})

export const dataParallelSpeedup = composite({
  id: 'scaling/data-parallel-speedup',
  name: 'Speedup of data-parallel training',
  decides: 'how many replicas still pay on a given network',
  is: 'devices * computeTime / (computeTime + communicationTime)',
  source: vol2.distributedTraining,
  validity: 'batch per device fixed, no overlap, no stragglers',
  inputs: { devices: count, computeTime: one('s'), communicationTime: one('s') },
  output: 'speedup',
  unit: '1',
  via: ({ devices, computeTime, communicationTime }, apply) =>
    apply(effectiveDevices, { devices, scalingEfficiency: apply(stepEfficiency, { computeTime, communicationTime }) }),
  also: {
    stepTime: {
      unit: 's',
      is: 'computeTime + communicationTime',
      of: ({ computeTime, communicationTime }) => computeTime + communicationTime,
    },
    efficiency: { unit: '1', is: 'speedup / devices', of: ({ devices }, speedup) => speedup / devices },
  },
})

export const dataParallelEfficiency = composite({
  id: 'scaling/data-parallel-efficiency',
  name: 'Efficiency of data-parallel training with a ring all-reduce',
  decides: 'whether model, batch and network allow this many replicas',
  is: 'computeTime / (computeTime + (2 * (devices - 1) / devices * bytes / linkBandwidth + 2 * (devices - 1) * latency) * (1 - overlap))',
  source: vol2.distributedTraining,
  validity: 'flat ring over links of one speed, batch per device fixed, no stragglers',
  inputs: {
    computeTime: one('s'),
    bytes: one('B'),
    devices: count,
    linkBandwidth: one('B/s'),
    latency: or('s', 0),
    overlap: shareOr(0),
  },
  output: 'efficiency',
  unit: '1',
  via: ({ computeTime, bytes, devices, linkBandwidth, latency, overlap }, apply) =>
    apply(stepEfficiency, { computeTime, communicationTime: apply(ringAllReduce, { devices, bytes, linkBandwidth, latency }), overlap }),
})

export const communicationShare = law({
  id: 'scaling/communication-share',
  name: 'Speedup from the share of a step spent synchronizing',
  decides: 'what a measured synchronization share leaves of the devices',
  is: 'devices * (1 - communicationShare)',
  source: vol1.modelTraining,
  validity: 'share measured at this number of devices; it rises with more of them',
  inputs: { devices: count, communicationShare: share },
  output: 'speedup',
  unit: '1',
  of: ({ devices, communicationShare }) => devices * (1 - communicationShare),
})

export const communicationSpeedup = law({
  id: 'scaling/communication-speedup',
  name: 'Step time after a faster network',
  decides: 'whether a network upgrade is worth its price',
  is: 'computeTime + communicationTime / factor',
  source: vol2.computeInfrastructure,
  validity: 'bandwidth-bound and exposed communication; latency does not shrink with bandwidth',
  inputs: { computeTime: one('s'), communicationTime: one('s'), factor: one('1') },
  output: 'after',
  unit: 's',
  of: ({ computeTime, communicationTime, factor }) => computeTime + communicationTime / factor,
  also: {
    before: {
      unit: 's',
      is: 'computeTime + communicationTime',
      of: ({ computeTime, communicationTime }) => computeTime + communicationTime,
    },
    reduction: {
      unit: '1',
      is: '1 - after / before',
      of: ({ computeTime, communicationTime }, after) => 1 - after / (computeTime + communicationTime),
    },
  },
})

export const fleetLaw = law({
  id: 'scaling/fleet-law',
  name: 'Fleet law: computation, communication, coordination',
  decides: 'which of the three to attack first',
  is: 'computeTime / (computeTime + communicationTime + coordinationTime)',
  source: vol2.introduction,
  validity: 'only what is exposed counts: overlapped communication is not a term',
  inputs: { computeTime: one('s'), communicationTime: one('s'), coordinationTime: one('s') },
  output: 'efficiency',
  unit: '1',
  of: ({ computeTime, communicationTime, coordinationTime }) => computeTime / (computeTime + communicationTime + coordinationTime),
  also: {
    stepTime: {
      unit: 's',
      is: 'computeTime + communicationTime + coordinationTime',
      of: ({ computeTime, communicationTime, coordinationTime }) => computeTime + communicationTime + coordinationTime,
    },
    communicationShare: {
      unit: '1',
      is: 'communicationTime / stepTime',
      of: ({ computeTime, communicationTime, coordinationTime }) =>
        communicationTime / (computeTime + communicationTime + coordinationTime),
    },
    coordinationShare: {
      unit: '1',
      is: 'coordinationTime / stepTime',
      of: ({ computeTime, communicationTime, coordinationTime }) => coordinationTime / (computeTime + communicationTime + coordinationTime),
    },
  },
})
