// The reliability half of a plan: how often it fails, how often to checkpoint, how many spares to hold, when it ends, what is lost.

import type { Catalog } from '@ironlaw/catalog'
import type { SecondsByCause, TrainingPlan } from '@ironlaw/contracts'
import { hangTimeout } from '@ironlaw/policies'
import { bestInterval, blockingTime, closedFormIntervals, type IntervalChoice, withInterval } from '../decisions/interval.ts'
import { bestSpares, nodesInRepair, type SparesChoice } from '../decisions/spares.ts'
import { steadyCampaign } from '../decisions/steady.ts'
import { type Worth, worthOf } from '../decisions/worth.ts'
import { type Campaign, campaignMtbf, unitsOf } from '../training/campaign.ts'
import { type Goodput, goodputOf } from '../training/goodput.ts'
import { TRIAL_CAUSES } from '../training/ledger.ts'
import { type Money, moneyOf } from '../training/money.ts'
import { type CampaignOutcome, outcomeOf, type TrialOptions, simulate } from '../training/simulate.ts'
import { type AssumedFigure, STEP_SPREAD } from './assumed.ts'
import { type CampaignUncertainty, drawnTrials } from './drawn-campaign.ts'
import { type CampaignOptions, planCampaign } from './plan-campaign.ts'
import { beliefWithout } from './rates.ts'

export type ReliabilityForecast = {
  readonly plan: string
  readonly accelerators: number
  readonly work_s: number
  /** Between interruptions of any kind. */
  readonly mtbf_s: number
  readonly spares: number
  readonly nodesInRepair: number
  readonly checkpoint: { readonly pause_s: number; readonly write_s: number; readonly blocking_s: number; readonly interval_s: number }
  readonly closedForm: { readonly youngDaly_s: number; readonly daly_s: number }
  /** Of the expected cluster: where the time goes. */
  readonly outcome: CampaignOutcome
  /** When the run ends on the clusters that may come. */
  readonly range: RunRange
  /** Mean number by component. */
  readonly failures: Readonly<Record<string, number>>
  readonly goodput: Goodput
  readonly money: Money
  readonly assumed: readonly AssumedFigure[]
}

type RunRange = {
  readonly low_s: number
  readonly median_s: number
  readonly high_s: number
  /** What the nine in ten hold. */
  readonly holds: readonly string[]
  /** Share of runs that were not followed to their end, five times the work: they lose more than they gain. */
  readonly endless: number
  readonly walls_s: readonly number[]
}

/** Closed forms decide, a small sample says what comes of it: fast enough to stand in every plan. */
export function reliabilityForecast(
  catalog: Catalog,
  plan: TrainingPlan,
  options: CampaignOptions & Partial<TrialOptions> = {},
): ReliabilityForecast {
  const { replicas = 60, seed = 1 } = options
  const { campaign, rates, assumed } = planCampaign(catalog, plan, options)
  const outcome = simulate(campaign, { replicas, seed })
  const { checkpointing } = campaign
  const { rule, pause_s, tiers } = checkpointing
  const closedForm = closedFormIntervals(campaign)
  return {
    plan: plan.id,
    accelerators: plan.fleet.devices,
    work_s: campaign.work_s,
    mtbf_s: campaignMtbf(campaign),
    spares: campaign.spares,
    nodesInRepair: nodesInRepair(campaign),
    checkpoint: {
      pause_s,
      write_s: tiers[0].write_s,
      blocking_s: blockingTime(campaign),
      interval_s: rule.kind === 'every' ? rule.interval_s : closedForm.daly_s,
    },
    closedForm,
    outcome,
    range: rangeOf(campaign, uncertaintyOf(plan, options), { replicas, seed }),
    failures: Object.fromEntries(campaign.components.map(({ name }, index) => [name, outcome.failures[index] ?? 0])),
    goodput: goodputOf(outcome, plan.prediction.mfu),
    money: moneyOf(campaign, outcome, rates),
    assumed,
  }
}

/** Two-sided 90 % of a normal. */
const Z90 = 1.645

/** The step as the plan states it; the failure rate as published clusters differ, or as the spec knows it. */
function uncertaintyOf(
  { prediction: { step_low_s, step_high_s } }: TrainingPlan,
  { perNodeDay, spares }: CampaignOptions,
): CampaignUncertainty {
  const published = beliefWithout('none')
  return {
    belief: perNodeDay === undefined ? published : { ...published, spread: 0 },
    step: Math.log(step_high_s / step_low_s) / (2 * Z90),
    ...(spares !== undefined && { spares }),
  }
}

function rangeOf(campaign: Campaign, uncertainty: CampaignUncertainty, sample: TrialOptions): RunRange {
  const { wall_s, finished, walls_s } = outcomeOf(drawnTrials(campaign, uncertainty, sample))
  const { spread } = uncertainty.belief
  return {
    low_s: wall_s.p5,
    median_s: wall_s.p50,
    high_s: wall_s.p95,
    holds: ['step', ...(spread > 0 ? ['failure rate'] : ['number of failures']), 'restarts'],
    endless: 1 - finished,
    walls_s,
  }
}

/** What a run of the plan is expected to lose, by cause of its ledger: what the measured time is compared with. */
export const expectedLosses = ({ outcome: { shares, wall_s } }: Pick<ReliabilityForecast, 'outcome'>): SecondsByCause =>
  Object.fromEntries(
    TRIAL_CAUSES.flatMap((cause) => (cause === 'useful' || shares[cause] === 0 ? [] : [[cause, shares[cause] * wall_s.mean]])),
  )

export type ReliabilityDecisions = {
  readonly interval: IntervalChoice
  readonly spares: SparesChoice
  /** Mean wall time of going on smaller against waiting, without spares; absent where there is one replica only. */
  readonly elastic?: { readonly unit: number; readonly stop_s: number; readonly shrink_s: number }
  readonly hang: { readonly timeout_s: number; readonly lost: number }
  readonly worth: readonly Worth[]
}

/** What simulation decides better than the closed forms. `sample` is per question asked: a few dozen replicas are enough. */
export function reliabilityDecisions(catalog: Catalog, plan: TrainingPlan, options: CampaignOptions & TrialOptions): ReliabilityDecisions {
  const { campaign, rates } = planCampaign(catalog, plan, options)
  const price = rates.price_usd_per_s
  const unit = replicaNodes(plan)
  const bare = { ...campaign, spares: 0 }
  const elastic = { unit, least: Math.ceil(campaign.nodes / 2) }
  return {
    interval: bestInterval(campaign, options),
    spares: bestSpares(campaign, price, options),
    ...(unit < campaign.nodes && {
      elastic: {
        unit,
        stop_s: campaign.work_s / simulate(steadyCampaign(bare), options).effective.mean,
        shrink_s: campaign.work_s / simulate(steadyCampaign({ ...bare, elastic }), options).effective.mean,
      },
    }),
    hang: hangFor(campaign, plan.prediction.step_s),
    worth: worthOf(withInterval(campaign, closedFormIntervals(campaign).daly_s), price, options),
  }
}

/** Nodes that hold one data-parallel replica. */
const replicaNodes = ({ decision: { tensor, context, pipeline }, fleet: { perNode, perHost = perNode } }: TrainingPlan): number =>
  Math.ceil((tensor * context * pipeline) / perHost)

/** Taking every software failure for a possible hang: the time-out must suit the worst. */
function hangFor(campaign: Campaign, step_s: number): ReliabilityDecisions['hang'] {
  const software = campaign.components.find(({ name }) => name === 'software')
  const { restart_s } = campaign.recovery
  return hangTimeout(
    { step_s, spread: STEP_SPREAD.value },
    {
      hangsPer_s: software ? unitsOf(campaign, software.scope) / software.mtbf_s : 1 / campaignMtbf(campaign),
      falseAlarm_s: restart_s + closedFormIntervals(campaign).daly_s / 2,
    },
  )
}
