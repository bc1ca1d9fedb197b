import { law, list, one, or, shareOr } from '../law.ts'
import { vol2 } from '../sources.ts'

// The book multiplies the losses in one place and adds them in another; with losses of some percent the two differ by about a point.
export const goodputLosses = law({
  id: 'scaling/goodput-losses',
  name: 'Goodput from losses that follow each other',
  decides: 'how much of the wall time is progress',
  is: 'prod(1 - loss)',
  source: vol2.fleetFoundations,
  validity: 'each loss is a share of what the ones before it leave',
  inputs: { loss: list('1', { most: 1 }) },
  output: 'goodput',
  unit: '1',
  of: ({ loss }) => loss.reduce((left, each) => left * (1 - each), 1),
})

export const goodputAdditive = law({
  id: 'scaling/goodput-additive',
  name: 'Goodput from losses of the same wall time',
  decides: 'how much of the wall time is progress when every loss is measured in hours',
  is: '1 - sum(loss)',
  source: vol2.systemAssumptions,
  validity: 'losses do not overlap and each is a share of the whole; a floor where they do overlap',
  holds: ({ loss }) => loss.reduce((sum, each) => sum + each, 0) <= 1,
  inputs: { loss: list('1', { most: 1 }) },
  output: 'goodput',
  unit: '1',
  of: ({ loss }) => 1 - loss.reduce((sum, each) => sum + each, 0),
})

export const overheadChain = law({
  id: 'scaling/overhead-chain',
  name: 'Calendar time of a run after all overheads',
  decides: 'which date to promise for a training run',
  is: 'idealTime / scalingEfficiency * (1 + bubbleOverhead) * (1 + checkpointOverhead) * (1 + failureOverhead) * (1 + maintenanceOverhead)',
  source: vol2.computeInfrastructure,
  validity: 'each overhead is relative to the time before it was added',
  inputs: {
    idealTime: one('s'),
    scalingEfficiency: shareOr(1),
    bubbleOverhead: or('1', 0),
    checkpointOverhead: or('1', 0),
    failureOverhead: or('1', 0),
    maintenanceOverhead: or('1', 0),
  },
  output: 'total',
  unit: 's',
  of: ({ idealTime, scalingEfficiency = 1, bubbleOverhead = 0, checkpointOverhead = 0, failureOverhead = 0, maintenanceOverhead = 0 }) =>
    (idealTime / scalingEfficiency) * (1 + bubbleOverhead) * (1 + checkpointOverhead) * (1 + failureOverhead) * (1 + maintenanceOverhead),
  also: {
    afterScaling: {
      unit: 's',
      is: 'idealTime / scalingEfficiency',
      of: ({ idealTime, scalingEfficiency = 1 }) => idealTime / scalingEfficiency,
    },
    afterBubble: {
      unit: 's',
      is: 'afterScaling * (1 + bubbleOverhead)',
      of: ({ idealTime, scalingEfficiency = 1, bubbleOverhead = 0 }) => (idealTime / scalingEfficiency) * (1 + bubbleOverhead),
    },
    afterCheckpoint: {
      unit: 's',
      is: 'afterBubble * (1 + checkpointOverhead)',
      of: ({ idealTime, scalingEfficiency = 1, bubbleOverhead = 0, checkpointOverhead = 0 }) =>
        (idealTime / scalingEfficiency) * (1 + bubbleOverhead) * (1 + checkpointOverhead),
    },
    afterFailure: {
      unit: 's',
      is: 'total / (1 + maintenanceOverhead)',
      of: ({ maintenanceOverhead = 0 }, total) => total / (1 + maintenanceOverhead),
    },
  },
})
