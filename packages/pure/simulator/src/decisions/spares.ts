// How many spare nodes to hold: each costs its price for the whole run, and saves waits for repair. By money where a price is known,
// by time otherwise.

import { type Campaign, unitsOf } from '../training/campaign.ts'
import { type TrialOptions, simulate } from '../training/simulate.ts'
import { steadyCampaign } from './steady.ts'

type SparesPoint = { readonly spares: number; readonly wall_s: number; readonly effective: number; readonly cost_usd?: number }

export type SparesChoice = { readonly best: SparesPoint; readonly points: readonly SparesPoint[] }

/** Nodes in repair on average, by Little's law; a switch or rack counts with all its nodes. */
export function nodesInRepair(campaign: Campaign): number {
  const nodesOf = { accelerator: 1, node: 1, rack: campaign.nodesPerRack, switch: campaign.nodesPerSwitch, job: 0 }
  return campaign.components.reduce(
    (sum, { scope, mtbf_s, repair_s }) => sum + ((unitsOf(campaign, scope) * nodesOf[scope]) / mtbf_s) * repair_s,
    0,
  )
}

/** Deviations above the mean that are worth looking at; the number in repair is about Poisson. */
const DEVIATIONS = [-1, 0, 1, 2, 3, 4, 6]

function sparesToHold(campaign: Campaign): readonly number[] {
  const mean = nodesInRepair(campaign)
  const counts = DEVIATIONS.map((deviations) => Math.max(0, Math.ceil(mean + deviations * Math.sqrt(mean))))
  const burst = Math.ceil(mean + 2 * Math.sqrt(mean)) + campaign.nodesPerSwitch
  return [...new Set([0, ...counts, burst])].toSorted((a, b) => a - b)
}

/** For a campaign with a finite amount of work. */
export function bestSpares(campaign: Campaign, price_usd_per_s: number | undefined, sample: TrialOptions): SparesChoice {
  const points = sparesToHold(campaign).map((spares): SparesPoint => {
    const { effective } = simulate(steadyCampaign({ ...campaign, spares }), sample)
    const held = (campaign.nodes + spares) * campaign.perNode
    return {
      spares,
      wall_s: campaign.work_s / effective.mean,
      effective: effective.mean,
      ...(price_usd_per_s !== undefined && { cost_usd: (held * price_usd_per_s * campaign.work_s) / effective.mean }),
    }
  })
  const best = points.reduce((least, point) => ((point.cost_usd ?? point.wall_s) < (least.cost_usd ?? least.wall_s) ? point : least))
  return { best, points }
}
