// One server and one queue. Named after the arrivals, the service times and the number of servers: M memoryless, D constant, G any.

import { law, maybe, one, or, share } from '../law.ts'
import { KINGMAN } from '../sources.ts'

const KLEINROCK = 'L. Kleinrock, Queueing Systems, vol. 1: Theory, Wiley 1975, chapter 3'

// The load may be given as a utilization or as a rate; a caller who gives both and agrees with himself gets the same answer.
export const mm1 = law({
  id: 'queueing/mm1',
  name: 'M/M/1 time in system',
  decides: 'how much latency a utilization costs',
  is: 'serviceTime / (1 - max(utilization, arrivalRate * serviceTime))',
  source: KLEINROCK,
  validity: 'Poisson arrivals, exponential service times, one server, below full load; give the utilization or the arrival rate',
  holds: ({ serviceTime = 1, utilization = 0, arrivalRate = 0 }) => loadOf({ utilization, arrivalRate, serviceTime }) < 1,
  inputs: { serviceTime: or('s', 1), utilization: or('1', 0, { most: 1 }), arrivalRate: or('1/s', 0) },
  output: 'timeInSystem',
  unit: 's',
  of: ({ serviceTime = 1, utilization = 0, arrivalRate = 0 }) => serviceTime / (1 - loadOf({ utilization, arrivalRate, serviceTime })),
  also: {
    load: {
      unit: '1',
      is: 'max(utilization, arrivalRate * serviceTime)',
      of: ({ serviceTime = 1, utilization = 0, arrivalRate = 0 }) => loadOf({ utilization, arrivalRate, serviceTime }),
    },
    wait: { unit: 's', is: 'timeInSystem - serviceTime', of: ({ serviceTime = 1 }, timeInSystem) => timeInSystem - serviceTime },
    p99: { unit: 's', is: 'ln(100) * timeInSystem', of: (_, timeInSystem) => Math.log(100) * timeInSystem },
    p99ToMean: { unit: '1', is: 'ln(100)', of: () => Math.log(100) },
    waitToService: {
      unit: '1',
      is: 'timeInSystem / serviceTime - 1',
      of: ({ serviceTime = 1 }, timeInSystem) => timeInSystem / serviceTime - 1,
    },
    systemToService: {
      unit: '1',
      is: 'timeInSystem / serviceTime',
      of: ({ serviceTime = 1 }, timeInSystem) => timeInSystem / serviceTime,
    },
  },
})

type Load = { readonly utilization: number; readonly arrivalRate: number; readonly serviceTime: number }

const loadOf = ({ utilization, arrivalRate, serviceTime }: Load): number => Math.max(utilization, arrivalRate * serviceTime)

export const mm1SafeUtilization = law({
  id: 'queueing/mm1-safe-utilization',
  name: 'Highest M/M/1 utilization within a 99th-percentile target',
  decides: 'how far a server may be loaded under a tail target',
  is: '1 - ln(100) * serviceTime / p99Target',
  source: `${KLEINROCK}: the time in system is exponential`,
  validity: 'Poisson arrivals, exponential service times, one server; the target above 4.6 service times',
  holds: ({ serviceTime, p99Target }) => p99Target > Math.log(100) * serviceTime,
  inputs: { serviceTime: one('s'), p99Target: one('s') },
  output: 'utilization',
  unit: '1',
  of: ({ serviceTime, p99Target }) => 1 - (Math.log(100) * serviceTime) / p99Target,
})

export const md1 = law({
  id: 'queueing/md1',
  name: 'M/D/1 time in system',
  decides: 'how much latency a utilization costs when every request takes the same time',
  is: 'serviceTime + utilization * serviceTime / (2 * (1 - utilization))',
  source: 'A. K. Erlang, The Theory of Probabilities and Telephone Conversations, Nyt Tidsskrift for Matematik B 20, 1909',
  validity: 'Poisson arrivals, constant service time, one server, below full load; a mean, not a percentile',
  holds: ({ utilization }) => utilization < 1,
  inputs: { serviceTime: one('s'), utilization: share },
  output: 'timeInSystem',
  unit: 's',
  of: ({ serviceTime, utilization }) => serviceTime + (utilization * serviceTime) / (2 * (1 - utilization)),
})

export const mg1 = law({
  id: 'queueing/mg1',
  name: 'Pollaczek-Khinchine wait',
  decides: 'how much waiting the spread of job lengths causes',
  is: 'utilization / (1 - utilization) * (1 + serviceCv^2) / 2',
  source: 'F. Pollaczek, Mathematische Zeitschrift 32, 1930; A. Khinchine, Matematicheskii Sbornik 39, 1932',
  validity: 'Poisson arrivals, any service times with a variance, one server, first come first served, below full load',
  holds: ({ utilization }) => utilization < 1,
  inputs: { utilization: share, serviceCv: one('1'), serviceTime: maybe('s') },
  output: 'waitToService',
  unit: '1',
  of: ({ utilization, serviceCv }) => ((utilization / (1 - utilization)) * (1 + serviceCv * serviceCv)) / 2,
  also: {
    wait: {
      unit: 's',
      is: 'waitToService * serviceTime',
      of: ({ serviceTime = Number.NaN }, waitToService) => waitToService * serviceTime,
    },
  },
})

export const kingman = law({
  id: 'queueing/kingman',
  name: "Kingman's approximation of the wait in a G/G/1 queue",
  decides: 'how much waiting bursts of arrivals and the spread of service times cause together',
  is: 'utilization / (1 - utilization) * (arrivalCv^2 + serviceCv^2) / 2 * serviceTime',
  source: KINGMAN,
  validity:
    'independent gaps and service times, one server; exact in the limit of full load, too high at light load; exact for Poisson arrivals',
  holds: ({ utilization }) => utilization < 1,
  inputs: { utilization: share, arrivalCv: one('1'), serviceCv: one('1'), serviceTime: one('s') },
  output: 'wait',
  unit: 's',
  of: ({ utilization, arrivalCv, serviceCv, serviceTime }) =>
    ((utilization / (1 - utilization)) * (arrivalCv * arrivalCv + serviceCv * serviceCv) * serviceTime) / 2,
  also: { timeInSystem: { unit: 's', is: 'wait + serviceTime', of: ({ serviceTime }, wait) => wait + serviceTime } },
})
