// Many replicas of a campaign, each from its own random streams, and what they say together.

import { EventQueue } from '../kernel/event-queue.ts'
import type { Campaign } from './campaign.ts'
import { type TrialCause, TRIAL_CAUSES, MICROSECONDS } from './ledger.ts'
import type { Trial } from './trial.ts'
import { trainingRun } from './training-run.ts'

export type TrialOptions = { readonly replicas: number; readonly seed: number }

export type Spread = { readonly mean: number; readonly p5: number; readonly p50: number; readonly p95: number }

export type CampaignOutcome = {
  readonly replicas: number
  /** Share of replicas that did all work within the window. */
  readonly finished: number
  readonly wall_s: Spread
  readonly interruptions: Spread
  readonly plannedStops: number
  /** Useful time over wall time. */
  readonly effective: Spread
  /** Mean share of wall time by cause; they sum to 1. */
  readonly shares: Readonly<Record<TrialCause, number>>
  /** Mean failures by component, in the order of the campaign. */
  readonly failures: readonly number[]
  /** Wall times of the replicas, ascending. */
  readonly walls_s: readonly number[]
  readonly events: number
}

export function trialsOf(campaign: Campaign, { replicas, seed }: TrialOptions): Trial[] {
  const queue = new EventQueue()
  return Array.from({ length: replicas }, (_, replica) => trainingRun(campaign, { seed, replica }, queue))
}

export const simulate = (campaign: Campaign, sample: TrialOptions): CampaignOutcome => outcomeOf(trialsOf(campaign, sample))

export function outcomeOf(runs: readonly Trial[]): CampaignOutcome {
  const walls_s = runs.map(({ wall }) => wall / MICROSECONDS).toSorted((a, b) => a - b)
  const total = runs.reduce((sum, { wall }) => sum + wall, 0)
  const shares = TRIAL_CAUSES.map((cause, index) => [cause, runs.reduce((sum, { ledger }) => sum + ledger[index]!, 0) / total] as const)
  return {
    replicas: runs.length,
    finished: runs.filter(({ finished }) => finished).length / runs.length,
    wall_s: spreadOf(walls_s),
    interruptions: spreadOf(runs.map(({ interruptions }) => interruptions)),
    plannedStops: mean(runs.map(({ plannedStops }) => plannedStops)),
    effective: spreadOf(runs.map(({ ledger, wall }) => ledger[0]! / wall)),
    shares: Object.fromEntries(shares) as Record<TrialCause, number>,
    failures: (runs[0]?.failures ?? []).map((_, component) => mean(runs.map(({ failures }) => failures[component] ?? 0))),
    walls_s,
    events: runs.reduce((sum, { events }) => sum + events, 0),
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { mean: mean(sorted), p5: at(0.05), p50: at(0.5), p95: at(0.95) }
}
