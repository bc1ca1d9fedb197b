// Time of a data pipeline: units of work that workers take one after another, and where it should run.

import { count, law, one, or } from '../law.ts'
import { vol1 } from '../sources.ts'

const GRAHAM = 'R. L. Graham, Bounds on Multiprocessing Timing Anomalies, SIAM J. Applied Mathematics 17(2), 1969'

export const pipelineMakespan = law({
  id: 'data/pipeline-makespan',
  name: 'Time until the last worker is done',
  decides: 'how many workers still help, and when files must be cut into smaller units',
  is: 'max(largest, work / workers + largest * (1 - 1 / workers) / 2)',
  source: `${GRAHAM}: list scheduling lies between the bounds; taken is the middle, as workers end at random within a unit`,
  validity: 'a worker that is free takes the next unit; as many units as workers at least',
  inputs: { work: one('s'), largest: one('s'), workers: count },
  output: 'time',
  unit: 's',
  of: ({ work, largest, workers }) => Math.max(largest, work / workers + (largest * (1 - 1 / workers)) / 2),
  also: {
    least: { unit: 's', is: 'max(largest, work / workers)', of: ({ work, largest, workers }) => Math.max(largest, work / workers) },
    most: {
      unit: 's',
      is: 'work / workers + largest * (1 - 1 / workers)',
      of: ({ work, largest, workers }) => work / workers + largest * (1 - 1 / workers),
    },
    wait: { unit: 's', is: 'time - work / workers', of: ({ work, workers }, time) => time - work / workers },
  },
})

export const moveBreakEven = law({
  id: 'data/move-break-even',
  name: 'Bytes below which moving the data is faster than computing where it lies',
  decides: 'whether data goes to the faster machines or the job to the data',
  is: 'max(0, computeHere - computeThere) * linkBandwidth',
  source: `${vol1.dataEngineering}: petabytes stay and code moves, gigabytes move`,
  validity: 'all data moves before the job begins, on a link that nothing else uses; results that come back are small',
  inputs: {
    computeHere: one('s'),
    computeThere: one('s'),
    linkBandwidth: one('B/s'),
    costHere: or('USD', 0),
    costThere: or('USD', 0),
    egressPrice: or('USD/B', 0),
  },
  output: 'bytes',
  unit: 'B',
  of: ({ computeHere, computeThere, linkBandwidth }) => Math.max(0, computeHere - computeThere) * linkBandwidth,
  also: {
    bytesByMoney: {
      unit: 'B',
      is: 'max(0, costHere - costThere) / egressPrice',
      of: ({ costHere = 0, costThere = 0, egressPrice = 0 }) => Math.max(0, costHere - costThere) / egressPrice,
    },
  },
})
