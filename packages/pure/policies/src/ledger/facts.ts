// What the ledger of a run is made from. Times are unix seconds; those of steps, exits and attaching come from the clocks of nodes.

import type { AttemptOutcome, RunState, SecondsByCause, TrainingPlan } from '@ironlaw/contracts'
import type { ReportedStrategy } from '@ironlaw/contracts/running'

export type StepFact = {
  readonly step: number
  /** When it ended. */
  readonly at: number
  readonly seconds: number
  /** Means over the ranks. */
  readonly phases_s: Readonly<Record<string, number>>
  readonly slowest?: { readonly compute_s: number }
}

export type AttemptFact = {
  readonly number: number
  readonly nodes: number
  /** It measured the nodes and did not run the program. */
  readonly check?: true
  readonly submittedAt: number
  readonly startedAt?: number
  /** When the first node had started its processes. */
  readonly ranksAt?: number
  /** When the first rank of the program said that it is there. */
  readonly attachedAt?: number
  /** When the first rank died. */
  readonly faultAt?: number
  readonly endedAt?: number
  readonly outcome?: AttemptOutcome
  /** The step whose checkpoint it restored. */
  readonly restored?: number
  /** Its newest checkpoint. */
  readonly saved?: { readonly step: number; readonly pause_s: number }
  /** The first that it did. */
  readonly firstStep?: number
  /** What its program says it runs with. */
  readonly running?: ReportedStrategy
}

/** What the plan of the run predicted, and what its failures were expected to cost. */
export type RunPrediction = Pick<
  TrainingPlan['prediction'],
  'step_s' | 'causes_s' | 'mfu' | 'cost_usd' | 'energy_j' | 'carbon_g' | 'duration_s'
> & {
  readonly devices: number
  /** Expected over this many steps (the whole run), in addition to the steps themselves. */
  readonly losses?: { readonly steps: number; readonly seconds: SecondsByCause }
}

export type RunFacts = {
  readonly run: string
  readonly state: RunState
  readonly createdAt: number
  /** Its end, or now. */
  readonly until: number
  readonly nodes: number
  readonly processesPerNode: number
  /** By number. */
  readonly attempts: readonly AttemptFact[]
  readonly predicted?: RunPrediction
  /** The decision of the plan, in the words of a program. */
  readonly planned?: ReportedStrategy
}

/** Attempts that were asked to stop, or had nothing left to do: there was no fault to detect. */
const ORDERLY: ReadonlySet<string> = new Set(['completed', 'cancelled', 'preempted'])

export const hasEndedOrderly = ({ outcome }: AttemptFact): boolean => outcome !== undefined && ORDERLY.has(outcome.cause)

/** When the program stopped working, where that was no order and left a trace. */
export const faultTime = (attempt: AttemptFact): number | undefined =>
  attempt.outcome === undefined || hasEndedOrderly(attempt) ? undefined : attempt.faultAt

/** With the first of its steps that a later attempt did again: that one and those behind it are lost. */
export type LossyAttempt = AttemptFact & { readonly lostFrom: number }

export function withLosses(attempts: readonly AttemptFact[]): readonly LossyAttempt[] {
  let lostFrom = Infinity
  return attempts
    .toReversed()
    .map((attempt) => {
      const found = { ...attempt, lostFrom }
      lostFrom = Math.min(lostFrom, attempt.firstStep ?? (attempt.restored === undefined ? Infinity : attempt.restored + 1))
      return found
    })
    .toReversed()
}
