export { bestInterval, type IntervalChoice } from './decisions/interval.ts'
export { bestMix, type Mix, type PriceOffer } from './decisions/tier-mix.ts'
export { bestSpares, type SparesChoice } from './decisions/spares.ts'
export { type Worth, worthOf } from './decisions/worth.ts'
export { holdModel } from './kernel/hold.ts'
export { type AssumedFigure } from './reliability/assumed.ts'
export { offersFor, SPOT_LIFE } from './reliability/offers.ts'
export { PATIENCE, planCampaign } from './reliability/plan-campaign.ts'
export {
  type ReliabilityDecisions,
  expectedLosses,
  reliabilityDecisions,
  type ReliabilityForecast,
  reliabilityForecast,
} from './reliability/reliability-forecast.ts'
export { statedFailures } from './reliability/stated-failures.ts'
export { checkpointPause_s, stagingOf } from './reliability/staging.ts'
export { type Campaign, type Component } from './training/campaign.ts'
export { type TrialCause, TRIAL_CAUSES } from './training/ledger.ts'
export { scaleCampaign } from './training/scale-campaign.ts'
export { type CampaignOutcome, simulate } from './training/simulate.ts'
export { NO_REGRESSION, type Regression, rolloutTrials, type RolloutTrialSummary, USUAL_TRAFFIC } from './rollout/trials.ts'
export {
  gateErrors,
  type GateErrors,
  type JudgedRelease,
  OWN_GATE,
  type ReleaseTrials,
  SEQUENTIAL_GATE,
  simulateReleases,
} from './releases/simulate-releases.ts'
export { type ForecastBin, simulateForecasts } from './releases/simulate-forecasts.ts'
export { type AlarmTrials, OWN_RULE, simulateAlarms } from './watch/simulate-alarms.ts'
export { sweepForecast, type SweepForecast, type SweepShape } from './sweep/sweep-forecast.ts'
