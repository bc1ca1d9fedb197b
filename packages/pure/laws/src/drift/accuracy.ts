import { law, one, share } from '../law.ts'
import { vol1 } from '../sources.ts'

const distance = one('1')

export const degradation = law({
  id: 'drift/degradation',
  name: 'Accuracy under drift',
  decides: 'how much divergence a model may see before it must be retrained',
  is: 'initialAccuracy - sensitivity * divergence',
  source: `${vol1.introduction}; ${vol1.mlOperations}`,
  validity: 'small shifts, sensitivity fitted on the same deployment and the same divergence',
  holds: ({ initialAccuracy, sensitivity, divergence }) => sensitivity * divergence <= 0.2 * initialAccuracy,
  inputs: { initialAccuracy: share, sensitivity: one('1'), divergence: distance },
  output: 'accuracy',
  unit: '1',
  of: ({ initialAccuracy, sensitivity, divergence }) => initialAccuracy - sensitivity * divergence,
})

export const driftSensitivity = law({
  id: 'drift/sensitivity',
  name: 'Accuracy lost per unit of divergence',
  decides: 'which divergence threshold corresponds to a tolerable loss of accuracy',
  is: '(accuracyBefore - accuracyAfter) / (divergenceAfter - divergenceBefore)',
  source: vol1.mlOperations,
  validity: 'two observations of one deployment, between which nothing but the data changed',
  holds: ({ divergenceBefore, divergenceAfter }) => divergenceAfter > divergenceBefore,
  inputs: { accuracyBefore: share, accuracyAfter: share, divergenceBefore: distance, divergenceAfter: distance },
  output: 'sensitivity',
  unit: '1',
  of: ({ accuracyBefore, accuracyAfter, divergenceBefore, divergenceAfter }) =>
    (accuracyBefore - accuracyAfter) / (divergenceAfter - divergenceBefore),
})
