// What an improvement is worth: the same failures with and without it, the checkpoint interval adapted to each, the difference in time
// and in money.

import type { Campaign } from '../training/campaign.ts'
import { type TrialOptions, simulate } from '../training/simulate.ts'
import { closedFormIntervals, withInterval } from './interval.ts'
import { steadyCampaign } from './steady.ts'

export type Worth = { readonly change: string; readonly saved_s: number; readonly saved_usd?: number }

const CHANGES: readonly (readonly [string, (campaign: Campaign) => Campaign])[] = [
  ['storage twice as fast', (campaign) => ({ ...campaign, checkpointing: fasterStorage(campaign.checkpointing) })],
  [
    'detection in half the time',
    (campaign) => ({ ...campaign, components: campaign.components.map((each) => ({ ...each, detect_s: each.detect_s / 2 })) }),
  ],
  [
    'restart in half the time',
    (campaign) => ({ ...campaign, recovery: { ...campaign.recovery, restart_s: campaign.recovery.restart_s / 2 } }),
  ],
  [
    'repair in half the time',
    (campaign) => ({ ...campaign, components: campaign.components.map((each) => ({ ...each, repair_s: each.repair_s / 2 })) }),
  ],
  [
    'failures half as often',
    (campaign) => ({ ...campaign, components: campaign.components.map((each) => ({ ...each, mtbf_s: 2 * each.mtbf_s })) }),
  ],
]

function fasterStorage({ tiers: [first, ...others], ...rest }: Campaign['checkpointing']): Campaign['checkpointing'] {
  const faster = <T extends { readonly write_s: number; readonly load_s: number }>(tier: T): T => ({
    ...tier,
    write_s: tier.write_s / 2,
    load_s: tier.load_s / 2,
  })
  // A synchronous write is the pause itself.
  const pause_s = first.write_s === 0 ? rest.pause_s / 2 : rest.pause_s
  return { ...rest, pause_s, tiers: [faster(first), ...others.map(faster)] }
}

/** Sorted by what they save; for a campaign with a finite amount of work. */
export function worthOf(campaign: Campaign, price_usd_per_s: number | undefined, sample: TrialOptions): Worth[] {
  // The same window for all: improvements must see the same days.
  const { window_s } = steadyCampaign(campaign)
  const wall = (of: Campaign): number =>
    of.work_s / simulate(withInterval({ ...steadyCampaign(of), window_s }, closedFormIntervals(of).daly_s), sample).effective.mean
  const before = wall(campaign)
  const devices = (campaign.nodes + campaign.spares) * campaign.perNode
  return CHANGES.map(([change, applied]) => {
    const saved_s = before - wall(applied(campaign))
    return { change, saved_s, ...(price_usd_per_s !== undefined && { saved_usd: saved_s * devices * price_usd_per_s }) }
  }).toSorted((a, b) => b.saved_s - a.saved_s)
}
