// A campaign as one of the clusters that may come: its failure rate, how much of it is software, how long it takes to notice and to start again,
// and how fast its steps are, each drawn from what is published. Draws fill the space evenly, so that few replicas are enough.

import { normalQuantile } from '@ironlaw/laws/normal'
import { nodesInRepair } from '../decisions/spares.ts'
import { EventQueue } from '../kernel/event-queue.ts'
import { type Campaign, type Component, unitsOf } from '../training/campaign.ts'
import type { Trial } from '../training/trial.ts'
import { trainingRun } from '../training/training-run.ts'
import type { TrialOptions } from '../training/simulate.ts'
import { type RateBelief, rateFactor, softwareAt } from './rates.ts'
import { START_SPREAD } from './start-up.ts'

/** Of each thing that may differ, the share of clusters that have less of it. */
type Draw = { readonly rate: number; readonly software: number; readonly detection: number; readonly start: number; readonly step: number }

/** Root of x^6 = x + 1: its powers spread points evenly over five dimensions (Roberts 2018, the R sequence). */
const ROOT = 1.1347241384015194

/** Shares of clusters that fail most: beyond a range of 90 %, but long to simulate; longest in a run that must end. */
const TAIL = { observed: 0.005, ended: 0.02 }
/** A run that takes this many times its work is beyond any range that helps. */
const FOLLOWED = 5

function drawOf(replica: number): Draw {
  const share = (dimension: number): number => (0.5 + (replica + 1) / ROOT ** dimension) % 1
  return { rate: share(1), software: share(2), detection: share(3), start: share(4), step: share(5) }
}

/** Detection takes anything up to MegaScale's bound, of which half is expected. */
const detectionFactor = ({ detection }: Draw): number => 2 * detection
const startFactor = ({ start }: Draw): number => Math.exp(START_SPREAD * normalQuantile(start))

export type CampaignUncertainty = {
  readonly belief: RateBelief
  /** Of the step, logarithmic, one standard deviation. */
  readonly step: number
  /** Spares that somebody decided on; otherwise a cluster that fails more holds more. */
  readonly spares?: number
}

/** Enough spares in 99.9 % of the time: a wait stops the whole fleet. */
const ENOUGH = 3.09

export function sparesFor(campaign: Campaign): number {
  const repairing = nodesInRepair(campaign)
  return Math.ceil(repairing + ENOUGH * Math.sqrt(repairing))
}

type Origin = 'hardware' | 'software' | 'provider'

const originOf = ({ repair_s, silent, notice_s }: Component): Origin =>
  notice_s !== undefined ? 'provider' : repair_s === 0 && silent !== true ? 'software' : 'hardware'

/** What providers take away is stated, and so is a rate that is known. */
function drawnComponents(campaign: Campaign, belief: RateBelief, draw: Draw): readonly Component[] {
  if (belief.spread === 0) return campaign.components
  const factor = rateFactor(belief, Math.min(draw.rate, 1 - (campaign.work_s === Infinity ? TAIL.observed : TAIL.ended)))
  const of = (origin: Origin): Component[] => campaign.components.filter((component) => originOf(component) === origin)
  const hardware = factor * of('hardware').reduce((sum, { scope, mtbf_s }) => sum + unitsOf(campaign, scope) / mtbf_s, 0)
  const software = Math.max(hardware * softwareAt(belief, draw.software), LEAST_PER_S)
  return campaign.components.map((component) => {
    const origin = originOf(component)
    if (origin === 'provider') return component
    const mtbf_s =
      origin === 'hardware' ? component.mtbf_s / factor : (of('software').length * unitsOf(campaign, component.scope)) / software
    return { ...component, mtbf_s }
  })
}

/** Once in thirty thousand years: a rate of none stays a number. */
const LEAST_PER_S = 1e-12

function drawnCampaign(campaign: Campaign, { belief, step, spares }: CampaignUncertainty, draw: Draw): Campaign {
  const pace = Math.exp(step * normalQuantile(draw.step))
  const drawn: Campaign = {
    ...campaign,
    work_s: campaign.work_s * pace,
    window_s: campaign.work_s === Infinity ? campaign.window_s : Math.min(campaign.window_s, FOLLOWED * campaign.work_s) * pace,
    components: drawnComponents(campaign, belief, draw).map((component) =>
      component.silent || component.notice_s !== undefined
        ? component
        : { ...component, detect_s: component.detect_s * detectionFactor(draw) },
    ),
    recovery: { ...campaign.recovery, restart_s: campaign.recovery.restart_s * startFactor(draw) },
  }
  return { ...drawn, spares: spares ?? sparesFor(drawn) }
}

export function drawnTrials(campaign: Campaign, uncertainty: CampaignUncertainty, { replicas, seed }: TrialOptions): Trial[] {
  const queue = new EventQueue()
  return Array.from({ length: replicas }, (_, replica) =>
    trainingRun(drawnCampaign(campaign, uncertainty, drawOf(replica)), { seed, replica }, queue),
  )
}
