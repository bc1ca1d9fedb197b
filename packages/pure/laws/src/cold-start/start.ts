import { count, law, list, one } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const coldStartLeadTime = law({
  id: 'cold-start/lead-time',
  name: 'Lead time of a cold replica',
  decides: 'how early scaling must be decided, and which phase of the start to shorten first',
  is: 'sum(phase)',
  source: vol2.inferenceAtScale,
  validity: 'phases one after the other: provision, fetch, load, compile, warm up',
  inputs: { phase: list('s') },
  output: 'time',
  unit: 's',
  of: ({ phase }) => phase.reduce((sum, duration) => sum + duration, 0),
  also: { largestShare: { unit: '1', is: 'max(phase) / time', of: ({ phase }, time) => Math.max(...phase) / time } },
})

// The time of all starts added up is machine time; users wait only for the waves.
export const scaleOutDelay = law({
  id: 'cold-start/scale-out-delay',
  name: 'Delay of a scale-out',
  decides: 'how long until all new replicas serve',
  is: 'ceil(replicas / parallelStarts) * startTime',
  source: vol1.modelServing,
  validity: 'starts do not slow each other down within a wave',
  inputs: { replicas: count, parallelStarts: count, startTime: one('s') },
  output: 'time',
  unit: 's',
  of: ({ replicas, parallelStarts, startTime }) => tolerantCeil(replicas / parallelStarts) * startTime,
})
