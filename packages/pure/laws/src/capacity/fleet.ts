import { DAY } from '@ironlaw/units'
import { count, countOr, law, one, or, shareOr } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'
import { tolerantFloor, tolerantCeil } from '../whole.ts'

// Rate and utilization must belong to the same batch size; the chapter pairs the latency of batch 1 with the rate of batch 16.
export const replicasForRate = law({
  id: 'capacity/replicas',
  name: 'Replicas for a rate',
  decides: 'how many replicas a service needs',
  is: 'ceil(arrivalRate / utilization / replicaThroughput)',
  source: vol1.modelServing,
  validity: 'load spread evenly; the throughput of a replica measured at the batch size that keeps the latency target',
  inputs: { arrivalRate: one('1/s'), utilization: shareOr(1), replicaThroughput: one('1/s'), headroom: or('1', 0) },
  output: 'replicas',
  unit: '1',
  of: ({ arrivalRate, utilization = 1, replicaThroughput }) => tolerantCeil(arrivalRate / utilization / replicaThroughput),
  also: {
    requiredRate: { unit: '1/s', is: 'arrivalRate / utilization', of: ({ arrivalRate, utilization = 1 }) => arrivalRate / utilization },
    withHeadroom: {
      unit: '1',
      is: 'ceil(replicas * (1 + headroom))',
      of: ({ headroom = 0 }, replicas) => tolerantCeil(replicas * (1 + headroom)),
    },
  },
})

export const utilizationAfterLoss = law({
  id: 'capacity/utilization-after-loss',
  name: 'Utilization after losing replicas',
  decides: 'whether the fleet survives a failure without breaking its latency',
  is: 'arrivalRate / (replicaThroughput * (replicas - lost))',
  source: vol1.modelServing,
  validity: 'the load of the lost replicas spreads evenly over the others',
  holds: ({ replicas, lost }) => lost < replicas,
  inputs: { arrivalRate: one('1/s'), replicaThroughput: one('1/s'), replicas: count, lost: one('1') },
  output: 'utilization',
  unit: '1',
  of: ({ arrivalRate, replicaThroughput, replicas, lost }) => arrivalRate / (replicaThroughput * (replicas - lost)),
})

export const spikeUtilization = law({
  id: 'capacity/spike-utilization',
  name: 'Utilization under a spike',
  decides: 'whether warm spares carry a spike until more replicas start',
  is: 'baseUtilization * newRate / oldRate * oldReplicas / newReplicas',
  source: vol2.inferenceAtScale,
  validity: 'the same work per request; at 1 and above the queue grows without bound and no latency target holds',
  inputs: { baseUtilization: one('1'), oldRate: one('1/s'), newRate: one('1/s'), oldReplicas: count, newReplicas: count },
  output: 'utilization',
  unit: '1',
  of: ({ baseUtilization, oldRate, newRate, oldReplicas, newReplicas }) =>
    (((baseUtilization * newRate) / oldRate) * oldReplicas) / newReplicas,
})

export const gpuFleet = law({
  id: 'capacity/gpu-fleet',
  name: 'Devices for a daily volume of requests',
  decides: 'how many devices and sites a service needs',
  is: 'requestsPerDay * serviceTime / day',
  source: vol1.mlSystems,
  validity:
    'spread evenly over the day and every device always busy: multiply by the peak and divide by the target utilization for a real fleet',
  inputs: {
    requestsPerDay: one('1'),
    serviceTime: one('s'),
    targetUtilization: shareOr(1),
    devicesPerSite: countOr(1),
    peakToAverage: or('1', 1, { least: 1 }),
  },
  output: 'devices',
  unit: '1',
  of: ({ requestsPerDay, serviceTime }) => (requestsPerDay * serviceTime) / DAY,
  also: {
    gpuTime: { unit: 's', is: 'requestsPerDay * serviceTime', of: ({ requestsPerDay, serviceTime }) => requestsPerDay * serviceTime },
    devicesAtTarget: {
      unit: '1',
      is: 'ceil(devices / targetUtilization)',
      of: ({ targetUtilization = 1 }, devices) => tolerantCeil(devices / targetUtilization),
    },
    siteGpuTime: { unit: 's', is: 'devicesPerSite * day', of: ({ devicesPerSite = 1 }) => devicesPerSite * DAY },
    sites: { unit: '1', is: 'devices / devicesPerSite', of: ({ devicesPerSite = 1 }, devices) => devices / devicesPerSite },
    peakSites: {
      unit: '1',
      is: 'devices / devicesPerSite * peakToAverage',
      of: ({ devicesPerSite = 1, peakToAverage = 1 }, devices) => (devices / devicesPerSite) * peakToAverage,
    },
  },
})

// At fixed power the gain is that of the devices the power admits, not of the devices replaced one for one.
export const hardwareRefresh = law({
  id: 'capacity/refresh',
  name: 'Refresh of a fleet to newer devices',
  decides: 'how many new devices replace a fleet, and what the same power would carry',
  is: 'devices * oldRate / newRate',
  source: vol2.computeInfrastructure,
  validity: 'the same efficiency on both generations; device power only',
  inputs: {
    devices: count,
    oldRate: one('FLOP/s'),
    newRate: one('FLOP/s'),
    oldDevicePower: one('W'),
    newDevicePower: one('W'),
  },
  output: 'sameThroughputDevices',
  unit: '1',
  of: ({ devices, oldRate, newRate }) => (devices * oldRate) / newRate,
  also: {
    throughputGain: { unit: '1', is: 'newRate / oldRate', of: ({ oldRate, newRate }) => newRate / oldRate },
    oldPower: { unit: 'W', is: 'devices * oldDevicePower', of: ({ devices, oldDevicePower }) => devices * oldDevicePower },
    newPower: { unit: 'W', is: 'devices * newDevicePower', of: ({ devices, newDevicePower }) => devices * newDevicePower },
    sameThroughputPower: {
      unit: 'W',
      is: 'sameThroughputDevices * newDevicePower',
      of: ({ newDevicePower }, sameThroughputDevices) => sameThroughputDevices * newDevicePower,
    },
    freedPower: {
      unit: 'W',
      is: 'devices * oldDevicePower - sameThroughputDevices * newDevicePower',
      of: ({ devices, oldDevicePower, newDevicePower }, sameThroughputDevices) =>
        devices * oldDevicePower - sameThroughputDevices * newDevicePower,
    },
    fixedPowerDevices: {
      unit: '1',
      is: 'floor(devices * oldDevicePower / newDevicePower)',
      of: ({ devices, oldDevicePower, newDevicePower }) => tolerantFloor((devices * oldDevicePower) / newDevicePower),
    },
    fixedPowerGain: {
      unit: '1',
      is: 'fixedPowerDevices * newRate / (devices * oldRate)',
      of: ({ devices, oldRate, newRate, oldDevicePower, newDevicePower }) =>
        (tolerantFloor((devices * oldDevicePower) / newDevicePower) * newRate) / (devices * oldRate),
    },
  },
})
