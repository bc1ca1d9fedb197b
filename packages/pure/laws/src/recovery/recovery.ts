import { DAY } from '@ironlaw/units'
import { countOr, law, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'

export const recoveryTime = law({
  id: 'recovery/time-budget',
  name: 'Time from a failure back to the point of failure',
  decides: 'which phase of a recovery to shorten',
  is: 'detectTime + restartTime + loadTime + warmupTime + replayTime',
  source: vol2.faultToleranceAndReliability,
  validity: 'phases one after the other; replay is on average half a checkpoint interval',
  inputs: { detectTime: one('s'), restartTime: one('s'), loadTime: one('s'), warmupTime: or('s', 0), replayTime: or('s', 0) },
  output: 'recoveryTime',
  unit: 's',
  of: ({ detectTime, restartTime, loadTime, warmupTime = 0, replayTime = 0 }) =>
    detectTime + restartTime + loadTime + warmupTime + replayTime,
})

export const dailyLoss = law({
  id: 'recovery/daily-loss',
  name: 'Time lost to recoveries per day',
  decides: 'what faster recovery is worth',
  is: 'failuresPerDay * recoveryTime',
  source: vol2.faultToleranceAndReliability,
  validity: 'every failure stops the whole job; recoveries do not overlap and leave most of the day',
  holds: ({ failuresPerDay, recoveryTime: each }) => failuresPerDay * each < DAY / 2,
  inputs: { failuresPerDay: one('1'), recoveryTime: one('s'), devices: countOr(1) },
  output: 'lostTime',
  unit: 's',
  of: ({ failuresPerDay, recoveryTime: each }) => failuresPerDay * each,
  also: {
    fraction: { unit: '1', is: 'lostTime / day', of: (_, lostTime) => lostTime / DAY },
    deviceTime: { unit: 's', is: 'devices * lostTime', of: ({ devices = 1 }, lostTime) => devices * lostTime },
  },
})

export const heartbeatTimeout = law({
  id: 'recovery/heartbeat-timeout',
  name: 'Heartbeat timeout',
  decides: 'after how long a silent node counts as failed',
  is: 'heartbeatInterval + deviations * delayDeviation',
  source: vol2.faultToleranceAndReliability,
  validity: 'delays not far from normal; 3 to 5 deviations, more where a false alarm restarts a large job',
  holds: ({ deviations = 4 }) => deviations >= 3 && deviations <= 5,
  inputs: { heartbeatInterval: one('s'), delayDeviation: one('s'), deviations: or('1', 4) },
  output: 'timeout',
  unit: 's',
  of: ({ heartbeatInterval, delayDeviation, deviations = 4 }) => heartbeatInterval + deviations * delayDeviation,
})
