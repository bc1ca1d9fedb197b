// Which machines to rent for a run with a deadline: all at the steady price, or some that may be taken away. Spot nodes cost less by the
// hour and more hours; the cheapest mix that is in time often enough wins.

import type { Campaign } from '../training/campaign.ts'
import { type TrialOptions, simulate } from '../training/simulate.ts'

export type PriceOffer = {
  readonly name: string
  readonly price_usd_per_s: number
  /** Paid for at least this long, used or not: a reservation. */
  readonly term_s?: number
  /** Mean time until a node is taken away, how many go with it, the notice, and the wait for another; absent when it never is. */
  readonly taken?: { readonly mtbf_s: number; readonly notice_s: number; readonly back_s: number; readonly together?: number }
}

export type Mix = {
  readonly steady: string
  readonly spot?: string
  /** Share of nodes that may be taken away. */
  readonly share: number
  /** At most one and a half times the deadline, where simulation ends. */
  readonly wall_s: number
  readonly inTime: number
  readonly cost_usd: number
}

export type MixRequest = { readonly offers: readonly PriceOffer[]; readonly deadline_s: number; readonly confidence: number }

const LATE = 1.5

const SHARES = [0.25, 0.5, 0.75, 1]

export function bestMix(
  campaign: Campaign,
  { offers, deadline_s, confidence }: MixRequest,
  sample: TrialOptions,
): { best?: Mix; mixes: Mix[] } {
  const steady = offers.filter(({ taken }) => !taken)
  const spot = offers.filter(({ taken }) => taken)
  const mixes = steady.flatMap((base) => [
    simulatedMix(campaign, { base, share: 0, deadline_s }, sample),
    ...spot.flatMap((risky) => SHARES.map((share) => simulatedMix(campaign, { base, risky, share, deadline_s }, sample))),
  ])
  const enough = mixes.filter(({ inTime }) => inTime >= confidence).toSorted((a, b) => a.cost_usd - b.cost_usd)
  return { ...(enough[0] && { best: enough[0] }), mixes }
}

/** Nodes that go together are those of a rack. */
export const withReclaims = (
  campaign: Campaign,
  { mtbf_s, back_s, notice_s, together = 1 }: NonNullable<PriceOffer['taken']>,
): Campaign => ({
  ...campaign,
  ...(together > 1 && { nodesPerRack: together }),
  components: [
    ...campaign.components,
    { name: 'taken away', scope: together > 1 ? 'rack' : 'node', mtbf_s, detect_s: 0, repair_s: back_s, notice_s },
  ],
})

type MixInputs = { readonly base: PriceOffer; readonly risky?: PriceOffer; readonly share: number; readonly deadline_s: number }

function simulatedMix(campaign: Campaign, { base, risky, share, deadline_s }: MixInputs, sample: TrialOptions): Mix {
  // Any node may be the one: the rate of all is that of the share.
  const taken = risky?.taken && { ...risky.taken, mtbf_s: risky.taken.mtbf_s / share }
  const exposed = taken ? withReclaims(campaign, taken) : campaign
  // A run long past the deadline need not be followed to its end.
  const window_s = LATE * deadline_s
  const { walls_s, wall_s } = simulate({ ...exposed, window_s }, sample)
  const devices = (campaign.nodes + campaign.spares) * campaign.perNode
  const costOf = ({ price_usd_per_s, term_s = 0 }: PriceOffer): number => price_usd_per_s * Math.max(wall_s.mean, term_s)
  return {
    steady: base.name,
    ...(risky && { spot: risky.name }),
    share,
    wall_s: wall_s.mean,
    inTime: walls_s.filter((wall) => wall <= deadline_s).length / walls_s.length,
    cost_usd: devices * ((1 - share) * costOf(base) + (risky ? share * costOf(risky) : 0)),
  }
}
