import { count, law, list, one, share } from '../law.ts'
import { pairSum } from '../pairs.ts'
import { vol2 } from '../sources.ts'

export const elasticFinish = law({
  id: 'orchestration/elastic-finish',
  name: 'Finish of an elastic job that starts small',
  decides: 'whether to start on few devices or to wait for all',
  is: 'sum(phaseDuration) + fullScaleDuration - equivalentWork',
  source: vol2.fleetOrchestration,
  validity: 'throughput as a share of full scale; rescaling itself takes no time; the phases do not finish the job by themselves',
  holds: ({ phaseDuration, phaseThroughput, fullScaleDuration }) => pairSum([phaseDuration, phaseThroughput]) <= fullScaleDuration,
  inputs: { phaseDuration: list('s'), phaseThroughput: list('1'), fullScaleDuration: one('s'), queueWait: one('s') },
  output: 'finish',
  unit: 's',
  of: ({ phaseDuration, phaseThroughput, fullScaleDuration }) =>
    phaseDuration.reduce((sum, duration) => sum + duration, 0) + fullScaleDuration - pairSum([phaseDuration, phaseThroughput]),
  also: {
    equivalentWork: {
      unit: 's',
      is: 'sum(phaseDuration * phaseThroughput)',
      of: ({ phaseDuration, phaseThroughput }) => pairSum([phaseDuration, phaseThroughput]),
    },
    rigidFinish: {
      unit: 's',
      is: 'queueWait + fullScaleDuration',
      of: ({ queueWait, fullScaleDuration }) => queueWait + fullScaleDuration,
    },
    saving: {
      unit: '1',
      is: '1 - finish / rigidFinish',
      of: ({ queueWait, fullScaleDuration }, finish) => 1 - finish / (queueWait + fullScaleDuration),
    },
  },
})

export const startSmall = law({
  id: 'orchestration/start-small',
  name: 'Queue wait that justifies starting small',
  decides: 'whether to run now on few devices instead of waiting for all',
  is: 'smallDuration - fullDuration',
  source: vol2.fleetOrchestration,
  validity: 'no rescaling later; start small when the expected wait is longer',
  inputs: { smallDuration: one('s'), fullDuration: one('s') },
  output: 'threshold',
  unit: 's',
  of: ({ smallDuration, fullDuration }) => smallDuration - fullDuration,
})

export const stepUpWork = law({
  id: 'orchestration/step-up-work',
  name: 'Work of a job that steps up to full scale',
  decides: 'whether to start at once and rescale, or to wait',
  is: 'wait * initialRate + (window - wait - rescaleTime) * fullRate',
  source: vol2.fleetOrchestration,
  validity: 'one step up, made as soon as the devices are there; rates constant',
  holds: ({ window, wait, rescaleTime }) => wait + rescaleTime <= window,
  inputs: { window: one('s'), wait: one('s'), initialRate: one('1/s'), fullRate: one('1/s'), rescaleTime: one('s') },
  output: 'stepUpWork',
  unit: '1',
  of: ({ window, wait, initialRate, fullRate, rescaleTime }) => wait * initialRate + (window - wait - rescaleTime) * fullRate,
  also: {
    waitWork: { unit: '1', is: '(window - wait) * fullRate', of: ({ window, wait, fullRate }) => (window - wait) * fullRate },
    breakEvenRescale: {
      unit: 's',
      is: 'wait * initialRate / fullRate',
      of: ({ wait, initialRate, fullRate }) => (wait * initialRate) / fullRate,
    },
  },
})

export const migrationBreakEven = law({
  id: 'orchestration/migration-breakeven',
  name: 'Break-even of a migration',
  decides: 'whether to move a badly placed or slow job, by its remaining time',
  is: 'migrationTime / penalty',
  source: vol2.fleetOrchestration,
  validity: 'the penalty is the share of time lost where the job is, and vanishes after the move',
  inputs: { migrationTime: one('s'), penalty: share },
  output: 'breakEven',
  unit: 's',
  of: ({ migrationTime, penalty }) => migrationTime / penalty,
})

export const spotCost = law({
  id: 'orchestration/spot-cost',
  name: 'Cost of a run on preemptible devices',
  decides: 'whether spot capacity is cheaper after checkpoints and restarts',
  is: 'devices * totalTime * spotPrice',
  source: vol2.fleetOrchestration,
  validity: 'work lost since the last checkpoint is part of the restart time; devices are paid for while restarting',
  inputs: {
    devices: count,
    baseTime: one('s'),
    spotPrice: one('USD/s'),
    onDemandPrice: one('USD/s'),
    checkpointOverhead: one('1'),
    interruptions: one('1'),
    restartTime: one('s'),
  },
  output: 'cost',
  unit: 'USD',
  of: ({ devices, baseTime, spotPrice, checkpointOverhead, interruptions, restartTime }) =>
    devices * (baseTime * (1 + checkpointOverhead) + interruptions * restartTime) * spotPrice,
  also: {
    totalTime: {
      unit: 's',
      is: 'baseTime * (1 + checkpointOverhead) + interruptions * restartTime',
      of: ({ baseTime, checkpointOverhead, interruptions, restartTime }) =>
        baseTime * (1 + checkpointOverhead) + interruptions * restartTime,
    },
    savedCost: {
      unit: 'USD',
      is: 'devices * baseTime * onDemandPrice - cost',
      of: ({ devices, baseTime, onDemandPrice }, cost) => devices * baseTime * onDemandPrice - cost,
    },
    saving: {
      unit: '1',
      is: '1 - cost / (devices * baseTime * onDemandPrice)',
      of: ({ devices, baseTime, onDemandPrice }, cost) => 1 - cost / (devices * baseTime * onDemandPrice),
    },
  },
})

export const spotEffectivePrice = law({
  id: 'orchestration/spot-effective-price',
  name: 'Effective price of preemptible devices',
  decides: 'from which interruption rate on a discount no longer pays',
  is: '(1 - discount) / (1 - lostTime / interruptionInterval)',
  source: vol2.fleetOrchestration,
  // Subtracting the lost share from the discount, as is often done, understates the saving.
  validity: 'the price per hour of useful work; less is lost per interruption than lies between two',
  holds: ({ lostTime, interruptionInterval }) => lostTime < interruptionInterval,
  inputs: { discount: share, lostTime: one('s'), interruptionInterval: one('s') },
  output: 'costFraction',
  unit: '1',
  of: ({ discount, lostTime, interruptionInterval }) => (1 - discount) / (1 - lostTime / interruptionInterval),
  also: {
    overhead: {
      unit: '1',
      is: 'lostTime / interruptionInterval',
      of: ({ lostTime, interruptionInterval }) => lostTime / interruptionInterval,
    },
    netSaving: { unit: '1', is: '1 - costFraction', of: (_, fraction) => 1 - fraction },
  },
})
