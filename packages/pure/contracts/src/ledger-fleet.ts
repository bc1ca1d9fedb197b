// The ledger of many runs: the sums of theirs. Each finished run is booked once, under the day on which it ended.

import * as z from 'zod'
import { LEDGER_ENTRY, GAP, GOODPUT, type TimeCause, SPENDING } from './ledger.ts'

export const DAY_S = 86_400

export const FLEET_GROUPS = ['cause', 'project', 'team'] as const

export type FleetGrouping = (typeof FLEET_GROUPS)[number]

/** What a run adds to the books of its day; nothing stands for what its plan does not say. */
export type RunBook = { readonly counts: BookCounts; readonly causes: readonly BookedCause[] }

/** Runs, and how many of them have a plan with a prediction, a price, a power, a grid; the time that those with an MFU would have
 * needed at the peak, and that they did need. */
export type BookCounts = {
  readonly runs: number
  readonly planned: number
  readonly priced: number
  readonly powered: number
  readonly located: number
  readonly peak_accelerator_s: number
  readonly rated_accelerator_s: number
}

export type BookedCause = {
  readonly cause: TimeCause
  readonly accelerator_s: number
  readonly predicted_accelerator_s: number
  /** Measured less predicted; no gap is the computing of a run without a prediction. */
  readonly gap_accelerator_s: number
  readonly cost_usd: number
  readonly energy_j: number
  readonly carbon_g: number
}

const count = z.int().nonnegative()

const SUMMARY_FIELDS = {
  runs: count,
  accelerator_s: z.number().nonnegative(),
  goodput: GOODPUT,
  ...SPENDING.shape,
  known: z
    .object({ cost_usd: count, energy_j: count, carbon_g: count })
    .describe('Number of runs whose plan has the rate; the sums cover only these'),
  gap: GAP.exactOptional(),
}

const GROUP = z.object({ name: z.string(), share: z.number().min(0).max(1), ...SUMMARY_FIELDS })

export const FLEET_LEDGER = z
  .object({
    from_at: z.number().describe('Start of the first day (UTC) included'),
    to_at: z.number(),
    by: z.enum(FLEET_GROUPS),
    ...SUMMARY_FIELDS,
    runs: count.describe('Runs that ended since then; each counts in full'),
    causes: z.array(LEDGER_ENTRY).describe('Every cause once, over all groups'),
    groups: z.array(GROUP).describe('Projects or teams, most time first; empty by cause'),
    live: count.describe('Runs that have not ended; not included in the sums'),
    unbooked: count.describe('Runs that ended but may still send reports; not yet included in the sums'),
  })
  .meta({ id: 'FleetLedger' })

export type FleetLedger = z.infer<typeof FLEET_LEDGER>
export type FleetGroup = z.infer<typeof GROUP>
