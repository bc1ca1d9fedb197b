// What a simulated run costs, and what of it bought no progress.

import type { Campaign } from './campaign.ts'
import { type TrialCause, TRIAL_CAUSES } from './ledger.ts'
import type { CampaignOutcome } from './simulate.ts'

export type CostRates = {
  /** Per accelerator, spares included. */
  readonly price_usd_per_s?: number
  /** Per accelerator with its share of host and network, under load. */
  readonly power_w: number
  /** Share of that power while nothing runs. */
  readonly idle: number
}

export type Money = { readonly cost_usd?: number; readonly wasted_usd?: number; readonly energy_j: number; readonly wasted_j: number }

/** Accelerators wait in these; in the others they compute. */
const IDLE: ReadonlySet<TrialCause> = new Set(['detection', 'recovery', 'start', 'load', 'allocation'])

export function moneyOf({ nodes, perNode, spares }: Campaign, { wall_s, shares }: CampaignOutcome, rates: CostRates): Money {
  const working = nodes * perNode * wall_s.mean
  const held = (nodes + spares) * perNode * wall_s.mean
  const joules = (cause: TrialCause): number => working * shares[cause] * rates.power_w * (IDLE.has(cause) ? rates.idle : 1)
  const standby = (held - working) * rates.power_w * rates.idle
  const energy_j = TRIAL_CAUSES.reduce((sum, cause) => sum + joules(cause), standby)
  const cost_usd = rates.price_usd_per_s === undefined ? undefined : held * rates.price_usd_per_s
  return {
    ...(cost_usd !== undefined && { cost_usd, wasted_usd: cost_usd * (1 - (shares.useful * working) / held) }),
    energy_j,
    wasted_j: energy_j - joules('useful'),
  }
}
