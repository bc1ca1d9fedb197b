// How often to checkpoint: by Young and Daly, by Daly's higher order, and by simulation of the run as it is. The closed forms know one
// write that stops the run and memoryless failures; the simulation knows that a background write is not yet a checkpoint, that tiers
// survive different failures, and that waiting for nodes costs the same at any interval.

import { dalyInterval } from '@ironlaw/laws/checkpoint/interval'
import { youngDaly } from '@ironlaw/laws/reliability/young-daly'
import { seconds } from '@ironlaw/units'
import { type Campaign, campaignMtbf } from '../training/campaign.ts'
import { type TrialOptions, simulate } from '../training/simulate.ts'
import { lowestPoint } from './golden-section.ts'
import { steadyCampaign } from './steady.ts'

/** Training time that one checkpoint takes: the pause, and what background writes slow down. */
export function blockingTime({ checkpointing: { pause_s, tiers, slowdown } }: Campaign): number {
  return pause_s + slowdown * tiers.reduce((sum, { write_s, every }) => sum + write_s / every, 0)
}

export const withInterval = (campaign: Campaign, interval_s: number): Campaign => ({
  ...campaign,
  checkpointing: { ...campaign.checkpointing, rule: { kind: 'every', interval_s } },
})

export function closedFormIntervals(campaign: Campaign): { readonly youngDaly_s: number; readonly daly_s: number } {
  const inputs = { writeTime: seconds(blockingTime(campaign)), mtbf: seconds(campaignMtbf(campaign)) }
  return { youngDaly_s: youngDaly.of(inputs), daly_s: dalyInterval.of(inputs) }
}

export type IntervalChoice = {
  readonly youngDaly_s: number
  readonly daly_s: number
  readonly simulated_s: number
  /** Useful share of time at each. */
  readonly effective: { readonly youngDaly: number; readonly daly: number; readonly simulated: number }
  /** Whether the simulated optimum gains more than a hundredth of the overhead over the better closed form. */
  readonly differs: boolean
  readonly because: readonly string[]
}

const SEARCH = { around: 16, steps: 14 }
const MATTERS = 0.01

export function bestInterval(campaign: Campaign, sample: TrialOptions): IntervalChoice {
  const forms = closedFormIntervals(campaign)
  const compared = steadyCampaign(campaign)
  // The same failures at every interval, so that differences are not noise.
  const effective = (interval_s: number): number => simulate(withInterval(compared, interval_s), sample).effective.mean
  const simulated_s = lowestPoint((at) => -effective(at), {
    from: forms.daly_s / SEARCH.around,
    to: forms.daly_s * SEARCH.around,
    steps: SEARCH.steps,
  })
  const shares = { youngDaly: effective(forms.youngDaly_s), daly: effective(forms.daly_s), simulated: effective(simulated_s) }
  const closed = Math.max(shares.youngDaly, shares.daly)
  const differs = shares.simulated - closed > MATTERS * (1 - closed)
  return { ...forms, simulated_s, effective: shares, differs, because: differs ? reasons(campaign) : [] }
}

/** Assumptions of the closed forms that the campaign breaks. */
function reasons(campaign: Campaign): string[] {
  const { checkpointing, components } = campaign
  const mtbf = campaignMtbf(campaign)
  const slowest = Math.max(...checkpointing.tiers.map(({ write_s, every }) => write_s * every))
  return [
    ...(slowest > 0 ? ['a checkpoint counts only when its background write is committed, and the next one waits for it'] : []),
    ...(checkpointing.tiers.length > 1 ? ['tiers outlive different failures'] : []),
    ...(blockingTime(campaign) > mtbf / 10 ? ['a checkpoint takes more than a tenth of the time between failures'] : []),
    ...(components.some(({ shape = 1 }) => shape !== 1) ? ['failures are not memoryless'] : []),
    ...(components.some(({ silent }) => silent) ? ['silent corruption goes back several checkpoints'] : []),
    ...(components.some(({ notice_s }) => notice_s !== undefined) ? ['announced losses are preceded by a checkpoint'] : []),
  ]
}
