import { count, law, one, share } from '../law.ts'

export const canaryExposure = law({
  id: 'experiments/canary-exposure',
  name: 'Exposure saved by a canary',
  decides: 'how small to make the first stage of a rollout',
  is: '1 / trafficShare',
  source: 'Machine Learning Systems vol. 2, ML Operations at Scale',
  validity: 'a failure harms only the requests the canary serves; a global share may be uneven between regions',
  inputs: { trafficShare: share },
  output: 'reduction',
  unit: '1',
  of: ({ trafficShare }) => 1 / trafficShare,
})

export const rolloutCoordination = law({
  id: 'experiments/rollout-coordination',
  name: 'Coordination of a rollout across regions',
  decides: 'whether regions can move from phase to phase in step',
  is: 'phases * 4 * regionLatency',
  source: 'Machine Learning Systems vol. 2, ML Operations at Scale',
  validity: 'four one-way messages per phase (announce, acknowledge, confirm, acknowledge) between the farthest regions',
  inputs: { regionLatency: one('s'), phases: count },
  output: 'total',
  unit: 's',
  of: ({ regionLatency, phases }) => phases * 4 * regionLatency,
  also: { perPhase: { unit: 's', is: '4 * regionLatency', of: ({ regionLatency }) => 4 * regionLatency } },
})
