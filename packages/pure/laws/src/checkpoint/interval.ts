import { composite, count, law, one, or } from '../law.ts'
import { clusterMtbf } from '../reliability/mtbf.ts'
import { DALY, vol2 } from '../sources.ts'

const RUN_TIME = 'mtbf * exp(restartTime / mtbf) * (exp((interval + writeTime) / mtbf) - 1) * solveTime / interval'
const DALY_INTERVAL = '(1 - late) * series + late * mtbf'
const DALY_SERIES = 'sqrt(2 * writeTime * mtbf) * (1 + sqrt(half) / 3 + half / 9) - writeTime'
const DALY_TERMS = `half = writeTime / (2 * mtbf); late = min(floor(half), 1); series = ${DALY_SERIES}`

export const dalyInterval = law({
  id: 'checkpoint/daly-interval',
  name: 'Daly higher-order checkpoint interval',
  decides: 'how often to checkpoint when the write is not short against the mean time between failures',
  is: `${DALY_INTERVAL} where ${DALY_TERMS}`,
  source: DALY,
  validity: 'failures memoryless; the interval is the computing time between two writes, without the write',
  inputs: { writeTime: one('s'), mtbf: one('s') },
  output: 'interval',
  unit: 's',
  of: ({ writeTime, mtbf }) => {
    const half = writeTime / (2 * mtbf)
    return half < 1 ? Math.sqrt(2 * writeTime * mtbf) * (1 + Math.sqrt(half) / 3 + half / 9) - writeTime : mtbf
  },
  also: {
    period: { unit: 's', is: 'interval + writeTime', of: ({ writeTime }, interval) => interval + writeTime },
  },
})

export const exactInterval = law({
  id: 'checkpoint/exact-interval',
  name: 'Exact checkpoint interval under exponential failures',
  decides: 'how often to checkpoint, and how far the approximations are from the optimum',
  is: 'text: interval = mtbf * (1 + W(-exp(-writeTime / mtbf - 1))), W the principal branch of the Lambert function; by Newton steps',
  source: 'M. Bougeret, H. Casanova, M. Rabie, Y. Robert, F. Vivien, Checkpointing strategies for parallel jobs, SC 2011',
  validity: 'failures memoryless, also during writes and restarts; a run of many intervals',
  inputs: { writeTime: one('s'), mtbf: one('s') },
  output: 'interval',
  unit: 's',
  // With x = interval / mtbf the optimum solves 1 - x = exp(-x - writeTime / mtbf). The difference is concave and falling, and the
  // first-order interval lies above the root, so the steps come down to it without overshooting.
  of: ({ writeTime, mtbf }) => {
    const write = writeTime / mtbf
    let x = Math.min(Math.sqrt(2 * write), 1)
    for (let step = 0; x > 0 && step < 60; step += 1) {
      const slope = Math.expm1(-x - write)
      const next = x + (x + slope) / slope
      if (Math.abs(next - x) <= 1e-15 * x) break
      x = next
    }
    return x * mtbf
  },
})

export const writeShare = law({
  id: 'checkpoint/overhead',
  name: 'Time share of checkpoint writes',
  decides: 'whether writes that stop the run are affordable at an interval',
  is: 'writeTime / interval',
  source: vol2.faultToleranceAndReliability,
  validity: 'the run stands still while it writes, and writes take less time than the interval',
  holds: ({ writeTime, interval }) => writeTime < interval,
  inputs: { writeTime: one('s'), interval: one('s') },
  output: 'overhead',
  unit: '1',
  of: ({ writeTime, interval }) => writeTime / interval,
})

export const totalOverhead = law({
  id: 'checkpoint/total-overhead',
  name: 'Checkpoint and rework overhead at an interval',
  decides: 'what a chosen checkpoint interval costs against the optimum',
  is: 'writeTime / interval + interval / (2 * mtbf) + recoveryTime / mtbf',
  source: `first order of ${DALY}`,
  validity: 'write, interval and recovery short against the mean time between failures',
  holds: ({ writeTime, interval, mtbf, recoveryTime = 0 }) => writeTime + interval + recoveryTime < mtbf,
  inputs: { writeTime: one('s'), interval: one('s'), mtbf: one('s'), recoveryTime: or('s', 0) },
  output: 'overhead',
  unit: '1',
  of: ({ writeTime, interval, mtbf, recoveryTime = 0 }) => writeTime / interval + interval / (2 * mtbf) + recoveryTime / mtbf,
})

export const expectedRunTime = law({
  id: 'checkpoint/expected-run-time',
  name: 'Expected wall-clock time with checkpoints and failures',
  decides: 'when a run ends on a fleet that fails, at a given interval and restart time',
  is: RUN_TIME,
  source: `${DALY}: the complete cost function`,
  validity: 'failures memoryless, also during writes and restarts; one write short against the whole run',
  holds: ({ solveTime, writeTime }) => writeTime < solveTime / 10,
  inputs: { solveTime: one('s'), interval: one('s'), writeTime: one('s'), restartTime: or('s', 0), mtbf: one('s') },
  output: 'time',
  unit: 's',
  of: ({ solveTime, interval, writeTime, restartTime = 0, mtbf }) =>
    (mtbf * Math.exp(restartTime / mtbf) * Math.expm1((interval + writeTime) / mtbf) * solveTime) / interval,
  also: {
    goodput: { unit: '1', is: 'solveTime / time', of: ({ solveTime }, time) => solveTime / time },
    failures: { unit: '1', is: 'time / mtbf', of: ({ mtbf }, time) => time / mtbf },
  },
})

export const fleetRunTime = composite({
  id: 'checkpoint/fleet-run-time',
  name: 'Expected wall-clock time of a run on a fleet, checkpointed at the Daly interval',
  decides: 'how many devices still shorten a run before failures eat the gain',
  is: `${RUN_TIME} where mtbf = deviceMtbf / devices; interval = ${DALY_INTERVAL}; ${DALY_TERMS}`,
  source: DALY,
  validity: 'failures memoryless and independent, any failure stops the run; one write short against the whole run',
  holds: ({ solveTime, writeTime }) => writeTime < solveTime / 10,
  inputs: { solveTime: one('s'), writeTime: one('s'), restartTime: or('s', 0), deviceMtbf: one('s'), devices: count },
  output: 'time',
  unit: 's',
  via: ({ solveTime, writeTime, restartTime, deviceMtbf, devices }, apply) => {
    const mtbf = apply(clusterMtbf, { mtbf: deviceMtbf, devices })
    return apply(expectedRunTime, { solveTime, interval: apply(dalyInterval, { writeTime, mtbf }), writeTime, restartTime, mtbf })
  },
  also: {
    goodput: { unit: '1', is: 'solveTime / time', of: ({ solveTime }, time) => solveTime / time },
  },
})
