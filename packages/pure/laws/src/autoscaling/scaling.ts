import { count, law, list, one } from '../law.ts'
import { vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'
import { isPaired, pairSum } from '../pairs.ts'

export const dailyReplicaHours = law({
  id: 'autoscaling/daily-replica-hours',
  name: 'Replica time of a daily plan',
  decides: 'what following the daily pattern saves against a fleet sized for the peak',
  is: 'sum(replicas * phaseDuration)',
  source: vol2.inferenceAtScale,
  validity: 'a duration for every number of replicas, scaling ahead of each phase; start-up overlap not counted',
  holds: ({ replicas, phaseDuration }) => isPaired([replicas, phaseDuration]),
  inputs: { replicas: list('1'), phaseDuration: list('s') },
  output: 'replicaTime',
  unit: 's',
  of: ({ replicas, phaseDuration }) => pairSum([replicas, phaseDuration]),
  also: {
    staticTime: {
      unit: 's',
      is: 'max(replicas) * sum(phaseDuration)',
      of: ({ replicas, phaseDuration }) => Math.max(...replicas) * pairSum([replicas, phaseDuration], (_, duration) => duration),
    },
  },
})

// The chapter multiplies the final excess by part of the delay; the ramp itself and the whole wait after it both count.
export const rampOverload = law({
  id: 'autoscaling/ramp-overload',
  name: 'Requests in excess during a ramp',
  decides: 'how much load must be queued or shed before new replicas are ready',
  is: 'over * (loadTime - t * (1 - t / (2 * rest))) where over = endRate - capacity; rest = rampTime - overloadStart; t = min(loadTime, rest)',
  source: vol2.fleetOrchestration,
  validity: 'linear ramp from below to above the capacity; scaling starts when the capacity is reached; the rate stays at its end value',
  holds: ({ startRate, endRate, capacity }) => startRate <= capacity && capacity < endRate,
  inputs: { startRate: one('1/s'), endRate: one('1/s'), rampTime: one('s'), capacity: one('1/s'), loadTime: one('s') },
  output: 'excessRequests',
  unit: '1',
  of: ({ startRate, endRate, rampTime, capacity, loadTime }) => {
    const slope = (endRate - startRate) / rampTime
    const inRamp = Math.min(loadTime, (endRate - capacity) / slope)
    return (slope * inRamp * inRamp) / 2 + (endRate - capacity) * (loadTime - inRamp)
  },
  also: {
    overloadStart: {
      unit: 's',
      is: 'rampTime * (capacity - startRate) / (endRate - startRate)',
      of: ({ startRate, endRate, rampTime, capacity }) => (rampTime * (capacity - startRate)) / (endRate - startRate),
    },
    readyAt: {
      unit: 's',
      is: 'overloadStart + loadTime',
      of: ({ startRate, endRate, rampTime, capacity, loadTime }) => (rampTime * (capacity - startRate)) / (endRate - startRate) + loadTime,
    },
  },
})

export const warmPool = law({
  id: 'autoscaling/warm-pool',
  name: 'Warm pool for a spike',
  decides: 'how many replicas to keep started and idle',
  is: 'ceil(spike / ratePerReplica * headroom)',
  source: vol2.inferenceAtScale,
  validity: 'the spike arrives at once and ends before cold replicas start',
  inputs: { spike: one('1/s'), ratePerReplica: one('1/s'), headroom: one('1', { least: 1 }) },
  output: 'pool',
  unit: '1',
  of: ({ spike, ratePerReplica, headroom }) => tolerantCeil((spike / ratePerReplica) * headroom),
})

export const proportionalScaling = law({
  id: 'autoscaling/proportional',
  name: 'Proportional scaling',
  decides: 'how many replicas a controller asks for when a metric misses its target',
  is: 'ceil(replicas * observed / target)',
  source: 'Kubernetes documentation, Horizontal Pod Autoscaling: algorithm details',
  validity: 'a metric in proportion to the load per replica, such as utilization or queue length; latency is not; small misses ignored',
  inputs: { replicas: count, observed: one('1'), target: one('1') },
  output: 'desired',
  unit: '1',
  of: ({ replicas, observed, target }) => tolerantCeil((replicas * observed) / target),
})
