// The ledger of a run: every second of every accelerator between submit and end under exactly one cause, measured and predicted.
// A separate entry point, like everything that loads zod.

import * as z from 'zod'
import { TIME_CAUSES, type TimeCause } from './time-cause.ts'
import { END_REASONS } from './end-reason.ts'
import { RUN_STATES } from './run.ts'
import { REPORTED_STRATEGY } from './running.ts'

export { TIME_CAUSES, type TimeCause } from './time-cause.ts'

/** What would close a gap, by its cause. */
export const GAP_ADVICE: Readonly<Record<TimeCause, string>> = {
  queue: 'look why the run was not submitted: ironlaw events RUN',
  allocation: 'ask for fewer nodes or another partition, or reserve them: the cluster had no room',
  check: 'check less often, or drain the nodes that were found slow: each is found again by every run',
  start: 'have images and environments on the nodes before the job starts',
  load: 'read checkpoints in parallel from faster storage, keep compiled kernels',
  running: 'report steps, with the SDK or with a pattern for what the program prints, to see where its time goes',
  compute: 'compare clocks and kernels with what the plan assumed; measured figures of your own make the next plan truer',
  'exposed communication': 'overlap more, keep tensor parallelism inside a node, or look for a slow link',
  bubble: 'more microbatches per step, or an interleaved schedule',
  straggler: 'find the rank that is slowest most often and test its node: ironlaw describe RUN',
  'data stall': 'more loader workers, prefetching, or data on faster storage',
  checkpoint: 'save in the background, or less often',
  'lost work': 'save more often, or find what failed: ironlaw describe RUN',
  detection: 'a shorter hang time-out, or agents that can report: look at how each attempt ended',
  recovery: 'keep spare nodes, so that the next attempt need not wait',
  'smaller than planned': 'return the nodes that are out of service, or keep spares',
  'idle tail': 'write and export the result after the job has returned its nodes',
  other: 'name the phases of a step in the program: run.phase("data"), "compute", "communication"',
}

const at = z.number().describe('Seconds since 1970-01-01 UTC')
const time = z.number().nonnegative()
const share = z.number().min(0).max(1)
const cause = z.enum(TIME_CAUSES)

/** What the time costs, where the plan has a price; nothing while no accelerator is held. */
export const SPENDING = z.object({
  cost_usd: time.exactOptional().describe('At the price of the plan'),
  energy_j: time.exactOptional().describe('At the power of the plan, including hosts and site overhead'),
  carbon_g: time.exactOptional().describe('CO2 equivalent of that energy on the grid of the plan'),
})

export const LEDGER_ENTRY = z.object({
  cause,
  accelerator_s: time.describe('Accelerators times seconds'),
  share: share.describe('Of all accelerator-seconds'),
  predicted_accelerator_s: time.exactOptional().describe('For the steps done; absent where the plan predicts nothing'),
  ...SPENDING.shape,
})

/** The factors of ML productivity goodput (Google Cloud, "Introducing ML Productivity Goodput", 2024), as they are taken here. */
export const GOODPUT_MEANS = {
  scheduling: 'of the time all accelerators were allocated (excludes queueing, allocation and recovery)',
  runtime: 'of that went into steps that count: without start, load, stalls, checkpoints, lost work, detection',
  program: 'of the peak was reached in those: the MFU of the plan, at the measured pace',
} as const

export const GOODPUT = z.object({
  scheduling: share.describe(GOODPUT_MEANS.scheduling),
  runtime: share.exactOptional().describe(`${GOODPUT_MEANS.runtime}; absent where programs report no steps`),
  program: time.exactOptional().describe(GOODPUT_MEANS.program),
})

export const GAP = z
  .object({ cause, accelerator_s: time, next: z.string() })
  .describe('The largest excess over the prediction, and what would close it')

const RECOVERY = z.object({
  attempt: z.int().describe('The one that ended'),
  cause: z.enum(END_REASONS),
  detail: z.string(),
  last_step_at: at.exactOptional(),
  fault_at: at.exactOptional().describe('When the first rank died, where one did'),
  detected_at: at,
  resubmitted_at: at.exactOptional(),
  allocated_at: at.exactOptional().describe('When the job of the next attempt was seen running'),
  started_at: at.exactOptional().describe('When the first rank of the next attempt attached'),
  first_step_at: at.exactOptional().describe('End of the first step of the next attempt'),
  lost_steps: z.int().nonnegative().describe('Steps that were done and had to be repeated'),
})

const DEVIATION = z.object({
  field: z.string().describe('Of the decision'),
  planned: z.string(),
  running: z.string().describe('As reported by the program'),
})

export const LEDGER = z
  .object({
    run: z.string(),
    state: z.enum(RUN_STATES),
    from_at: at.describe('When the run was submitted'),
    to_at: at.describe('Its end, or now'),
    wall_s: time,
    accelerators: z.int().positive(),
    steps: z.int().nonnegative().describe('Steps that count'),
    causes: z.array(LEDGER_ENTRY).describe('Every cause once; they add up to wall_s times accelerators'),
    goodput: GOODPUT,
    ...SPENDING.shape,
    gap: GAP.exactOptional(),
    recoveries: z.array(RECOVERY),
    running: REPORTED_STRATEGY.exactOptional().describe(
      'Strategy that the program of the last attempt reported; absent when it reported none',
    ),
    deviations: z
      .array(DEVIATION)
      .exactOptional()
      .describe(
        'Where the reported strategy differs from the plan, so that the prediction does not apply. Absent when the program reported none',
      ),
    idle_accelerator_s: time
      .exactOptional()
      .describe('Held but not working: spares, nodes between two attempts, lost nodes until their allocation ends. Not among the causes'),
  })
  .meta({ id: 'Ledger' })

export type Ledger = z.infer<typeof LEDGER>
export type LedgerEntry = z.infer<typeof LEDGER_ENTRY>
export type Spending = z.infer<typeof SPENDING>
export type Goodput = z.infer<typeof GOODPUT>
export type Deviation = z.infer<typeof DEVIATION>
export type Recovery = z.infer<typeof RECOVERY>
