// The overhead of checkpoints and failures at the Young-Daly interval: first order, Daly's complete cost function, and simulation.

import { expectedRunTime } from '@ironlaw/laws/checkpoint/interval'
import { youngDaly } from '@ironlaw/laws/reliability/young-daly'
import { DAY, HOUR, MINUTE, seconds } from '@ironlaw/units'
import { plainCampaign } from '../training/plain-campaign.ts'
import { simulate } from '../training/simulate.ts'

export type TableCell = {
  readonly mtbf_s: number
  readonly write_s: number
  readonly interval_s: number
  /** Overheads are the time in addition to useful time, over useful time. */
  readonly firstOrder: number
  readonly complete: number
  readonly simulated: number
  /** Of the closed form against the simulation, relative. */
  readonly firstOrderError: number
  readonly completeError: number
}

const MTBFS = [HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY]
const WRITES = [1, 10, MINUTE, 10 * MINUTE]

/** Failures per cell: a standard error of about 0.8 % of the overhead. */
const FAILURES = 5000
const REPLICAS = 20

/** Up to this write over mean time between failures the first order is within 3 %: its next term is of the order of the square root. */
export const FIRST_ORDER_HOLDS = 1 / 1300

export const checkpointTable = (seed: number): TableCell[] =>
  MTBFS.flatMap((mtbf_s) => WRITES.map((write_s) => cell({ mtbf_s, write_s }, seed)))

function cell({ mtbf_s, write_s }: { readonly mtbf_s: number; readonly write_s: number }, seed: number): TableCell {
  const inputs = { writeTime: seconds(write_s), mtbf: seconds(mtbf_s) }
  const interval = youngDaly.of(inputs)
  // Whole intervals, so that the run ends where a checkpoint would be.
  const work_s = Math.ceil(((FAILURES / REPLICAS) * mtbf_s) / interval) * interval
  const firstOrder = write_s / interval + interval / (2 * mtbf_s)
  const complete = expectedRunTime.of({ solveTime: seconds(work_s), interval, restartTime: seconds(0), ...inputs }) / work_s - 1
  const { wall_s } = simulate(plainCampaign({ mtbf_s, write_s, interval_s: interval, work_s }), { replicas: REPLICAS, seed })
  const simulated = wall_s.mean / work_s - 1
  return {
    mtbf_s,
    write_s,
    interval_s: interval,
    firstOrder,
    complete,
    simulated,
    firstOrderError: firstOrder / simulated - 1,
    completeError: complete / simulated - 1,
  }
}
