// The quick answer: deployments that meet the objectives, best first, and why the others do not.

import { type Catalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { infeasibleText, type PlannedServing, planServing, requestedDevices } from '@ironlaw/planner'
import type { DeployableSpec } from '../launch/deployment-request.ts'
import type { ServingAnswer } from './answer.ts'
import type { ServingQuestion } from './question.ts'
import { servingDerivations } from './serving-derivations.ts'
import { serveSpecFor, servingRequestFor } from './serving-of.ts'

/** Selecting another plan asks the same question again, and planning takes seconds. */
export function servingPlanner(catalog: Catalog): (question: ServingQuestion) => ServingAnswer {
  let last: { readonly key: string; readonly planned: PlannedServing } | undefined
  return (question) => {
    const key = JSON.stringify({ ...question, rank: 0 })
    if (last?.key !== key) last = { key, planned: planServing(catalog, servingRequestFor(catalog, question).wanted) }
    return servingAnswer(catalog, question, last.planned)
  }
}

function servingAnswer(catalog: Catalog, question: ServingQuestion, planned: PlannedServing): ServingAnswer {
  const looked = planned.plans[Math.min(question.rank, planned.plans.length - 1)]
  return {
    warnings: servingRequestFor(catalog, question).warnings,
    plans: planned.plans,
    tried: planned.tried,
    rejected: planned.rejected,
    derivations: looked ? servingDerivations(catalog, question, looked) : {},
    ...(looked
      ? { looked, deployable: deployableOf(catalog, question, looked) }
      : { nothing: sentence(infeasibleText(servingRequestFor(catalog, question).wanted.objectives, planned)) }),
  }
}

function deployableOf(catalog: Catalog, question: ServingQuestion, plan: ServingPlan): DeployableSpec {
  const devices = requestedDevices(catalog, { name: plan.accelerator, perNode: plan.pools[0]?.devicesPerReplica ?? 1 })
  return { spec: serveSpecFor(question), plan, pinned: question.rank > 0, ...(devices && { devices }) }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
