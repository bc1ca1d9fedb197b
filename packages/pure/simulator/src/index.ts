export { bestInterval, type IntervalChoice } from './decisions/interval.ts'
export { bestMix, type Mix, type Offer } from './decisions/tier-mix.ts'
export { bestSpares, type SparesChoice } from './decisions/spares.ts'
export { type Worth, worthOf } from './decisions/worth.ts'
export { holdModel } from './kernel/hold.ts'
export { type Assumed } from './reliability/assumed.ts'
export { offersFor, SPOT_LIFE } from './reliability/offers.ts'
export { planCampaign } from './reliability/plan-campaign.ts'
export {
  type Decisions,
  expectedLosses,
  reliabilityDecisions,
  type ReliabilityHalf,
  reliabilityHalf,
} from './reliability/reliability-half.ts'
export { checkpointPause_s, stagingOf } from './reliability/staging.ts'
export { type Campaign, type Component } from './training/campaign.ts'
export { type Cause, CAUSES } from './training/ledger.ts'
export { scaleCampaign } from './training/scale-campaign.ts'
export { type Outcome, simulate } from './training/simulate.ts'
export { NO_REGRESSION, type Regression, rolloutTrials, type Trials, USUAL_TRAFFIC } from './rollout/trials.ts'
