// The quick answer: the search, the selected plan in full, and why others were refused.

import type { Catalog } from '@ironlaw/catalog'
import { STEP_CAUSE_INFO, STEP_CAUSES, type TrainingPlan } from '@ironlaw/contracts'
import {
  answerTraining,
  type Candidate,
  chanceText,
  explainedPlan,
  memoryAccount,
  nodesOf,
  type NothingFits,
  type PlannedTraining,
  type PlanningResult,
  resourcesOf,
  sensitivities,
  shortfall,
  stepTime,
  type TrainingRequest,
} from '@ironlaw/planner'
import { bytes, show } from '@ironlaw/units'
import type { Details, PlanAnswer, RejectedStrategy, StageBytes } from './answer.ts'
import { rooflinePicture } from './operator-points.ts'
import type { TrainingQuestion } from './question.ts'
import { trainSpecFor, trainingRequestFor } from './training-of.ts'

/** As many as a user compares. */
const KEPT = 12

export function planAnswer(catalog: Catalog, question: TrainingQuestion): PlanAnswer {
  const { request, planning, setting, warnings, violated, nothing } = answerTraining(catalog, trainingRequestFor(catalog, question), {
    keep: KEPT,
  })
  const looked = planning.plans[Math.min(question.rank, planning.plans.length - 1)]
  return {
    setting,
    warnings,
    violated,
    tried: planning.found.tried,
    fitting: planning.found.fitting,
    devices: planning.fleet.devices,
    limit_bytes: planning.limit_bytes,
    tight: planning.tight,
    plans: planning.plans.map(({ plan }) => plan),
    rejected: planning.found.tooLarge.map((candidate) => rejectedStrategy(request, planning, candidate)),
    ...(looked && { details: { ...details(catalog, request, looked), startable: startable(catalog, question, looked.plan) } }),
    ...(nothing && { nothing: infeasibleAnswer(request, nothing) }),
  }
}

const startable = (catalog: Catalog, question: TrainingQuestion, plan: TrainingPlan): Details['startable'] => ({
  spec: trainSpecFor(question),
  plan,
  pinned: question.rank > 0,
  shape: { ...nodesOf(plan.fleet), ...resourcesOf(catalog, plan), smaller: [] },
})

function details(catalog: Catalog, request: TrainingRequest, looked: PlannedTraining): Omit<Details, 'startable'> {
  const { machine, wanted } = request
  const { plan, candidate, step } = looked
  const setup = { machine, job: wanted.job }
  return {
    plan,
    causes: step.causes,
    hidden: hiddenTime(setup, candidate.strategy, step.causes),
    stages: stagesOf(setup, candidate.strategy),
    sensitivities: sensitivities(machine, wanted.job, candidate.strategy),
    roofline: rooflinePicture(catalog, wanted, candidate.strategy),
    derivations: explainedPlan(catalog, request, looked),
  }
}

type Setup = Parameters<typeof stepTime>[0]

const stagesOf = (setup: Setup, strategy: Candidate['strategy']): readonly StageBytes[] =>
  memoryAccount(setup, strategy).stages.map(({ stage, terms, device: { low, likely, high } }) => ({ stage, terms, low, likely, high }))

/** Computes the step again without overlap: the extra time of each exchange is what overlap hides. */
function hiddenTime(setup: Setup, strategy: Candidate['strategy'], exposed: Details['causes']): Details['hidden'] {
  const runtime = { ...setup.machine.runtime, tensorOverlap: 0, gradientOverlap: 0, weightOverlap: 0, sendOverlap: 0 }
  const { causes } = stepTime({ ...setup, machine: { ...setup.machine, runtime } }, strategy)
  const hidden = { ...causes }
  for (const cause of STEP_CAUSES)
    hidden[cause] = STEP_CAUSE_INFO[cause].nature === 'exchange' ? Math.max(0, causes[cause] - exposed[cause]) : 0
  return hidden
}

function rejectedStrategy(
  { wanted, machine }: TrainingRequest,
  { fleet, limit_bytes: limit, probability }: PlanningResult,
  { strategy, step_s, memory_bytes }: Candidate,
): RejectedStrategy {
  const short = shortfall({ job: wanted.job, machine }, strategy, { fleet, limit, probability })
  return {
    strategy,
    step_s,
    reason: `needs ${show(bytes(memory_bytes), 'B')} of ${show(bytes(limit), 'B')}, mostly ${short?.dominant ?? 'states'}: fits with ${chanceText(short?.probability ?? 0)}`,
    remedy: short?.remedies[0]?.change ?? '',
  }
}

const infeasibleAnswer = (
  { machine, wanted }: TrainingRequest,
  { why, change, devices, smallest }: NothingFits,
): NonNullable<PlanAnswer['nothing']> => ({
  why: sentence(why),
  change: sentence(change),
  stages: smallest ? stagesOf({ machine, job: wanted.job }, smallest) : [],
  ...(devices !== undefined && { devices }),
})

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`
