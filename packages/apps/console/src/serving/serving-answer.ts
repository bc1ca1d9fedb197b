// The quick answer: deployments that meet the objectives, best first, and why the others do not.

import { type Catalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { type PlannedServing, planServing, requestedDevices, type ServingPlanInputs } from '@ironlaw/planner'
import { seconds, show, showPercent } from '@ironlaw/units'
import type { DeployableSpec } from '../launch/deployment-request.ts'
import { findDecoder } from '../decoders.ts'
import type { ServingAnswer } from './answer.ts'
import { rateOf, type ServingQuestion } from './question.ts'
import { servingDerivations } from './serving-derivations.ts'

export function servingRequestFor(question: ServingQuestion): ServingPlanInputs {
  const { name, architecture } = findDecoder(question)
  return {
    name: name.split('/').at(-1) ?? name,
    model: name,
    architecture,
    traffic: {
      requests_per_s: rateOf(question),
      input_tokens: question.input,
      output_tokens: question.output,
      cachedPrompt: Math.min(99, question.cached) / 100,
    },
    objectives: {
      ttft_s: question.ttft_ms / 1000,
      tpot_s: question.tpot_ms / 1000,
      percentile: question.percentile,
      probability: question.probability / 100,
    },
    engine: question.engine,
    cache: question.cache,
    spare: question.spare,
    goal: question.goal,
    disaggregated: question.split,
    ...(question.accelerator !== '' && { accelerators: [question.accelerator] }),
  }
}

/** Selecting another plan asks the same question again, and planning takes seconds. */
export function servingPlanner(catalog: Catalog): (question: ServingQuestion) => ServingAnswer {
  let last: { readonly key: string; readonly planned: PlannedServing } | undefined
  return (question) => {
    const key = JSON.stringify({ ...question, rank: 0 })
    if (last?.key !== key) last = { key, planned: planServing(catalog, servingRequestFor(question)) }
    return servingAnswer(catalog, question, last.planned)
  }
}

function servingAnswer(catalog: Catalog, question: ServingQuestion, planned: PlannedServing): ServingAnswer {
  const looked = planned.plans[Math.min(question.rank, planned.plans.length - 1)]
  return {
    warnings: findDecoder(question).warnings,
    plans: planned.plans,
    tried: planned.tried,
    rejected: planned.rejected,
    derivations: looked ? servingDerivations(catalog, question, looked) : {},
    ...(looked ? { looked, deployable: deployableOf(catalog, question, looked) } : { nothing: infeasibleText(question, planned) }),
  }
}

function deployableOf(catalog: Catalog, question: ServingQuestion, plan: ServingPlan): DeployableSpec {
  const { config, input, output, cached, ttft_ms, tpot_ms, percentile, probability, engine, cache, spare, goal, split, accelerator } =
    question
  const { name, model } = servingRequestFor(question)
  const devices = requestedDevices(catalog, { name: plan.accelerator, perNode: plan.pools[0]?.devicesPerReplica ?? 1 })
  return {
    spec: {
      apiVersion: 'ironlaw/v1',
      kind: 'Serve',
      name,
      model: config === '' ? model : './config.json',
      traffic: {
        requests_per_s: rateOf(question),
        input_tokens: input,
        output_tokens: output,
        cachedPrompt: Math.min(99, cached) / 100,
      },
      objectives: { ttft: `${ttft_ms} ms`, tpot: `${tpot_ms} ms`, percentile, probability: probability / 100 },
      engine,
      cache,
      spare,
      goal,
      disaggregated: split,
      ...(accelerator !== '' && { accelerators: [accelerator] }),
    },
    plan,
    pinned: question.rank > 0,
    ...(devices && { devices }),
  }
}

function infeasibleText({ ttft_ms, tpot_ms, probability }: ServingQuestion, { impossible, closest }: PlannedServing): string {
  if (closest)
    return `No shape that was tried holds the objectives with ${probability} % probability; ${closest.devices} × ${closest.accelerator} hold them with ${showPercent(closest.prediction.probability ?? 0, 0)}.`
  if (!impossible) return 'No shape that was tried meets the objectives; the reasons are below.'
  return impossible.objectives
    .map((name) => {
      const asked = seconds((name === 'ttft' ? ttft_ms : tpot_ms) / 1000)
      const what = name === 'ttft' ? 'A first token' : 'A token every'
      return `${what} ${name === 'ttft' ? 'within ' : ''}${show(asked, 's')} is below the floor of ${show(impossible.floors[name].value, 's')} on ${impossible.on}: no software can meet it.`
    })
    .join(' ')
}
