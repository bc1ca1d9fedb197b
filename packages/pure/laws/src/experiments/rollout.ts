import { count, law, one } from '../law.ts'
import { vol2 } from '../sources.ts'

export const rolloutCoordination = law({
  id: 'experiments/rollout-coordination',
  name: 'Coordination of a rollout across regions',
  decides: 'whether regions can move from phase to phase in step',
  is: 'phases * 4 * regionLatency',
  source: vol2.mlOperationsAtScale,
  validity: 'four one-way messages per phase (announce, acknowledge, confirm, acknowledge) between the farthest regions',
  inputs: { regionLatency: one('s'), phases: count },
  output: 'total',
  unit: 's',
  of: ({ regionLatency, phases }) => phases * 4 * regionLatency,
  also: { perPhase: { unit: 's', is: '4 * regionLatency', of: ({ regionLatency }) => 4 * regionLatency } },
})
