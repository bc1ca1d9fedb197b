// Latencies that users see: the plan under generated traffic, request by request.

import type { Catalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { cacheTransfer, replicaDesign, replicaRule, type Speculation } from '@ironlaw/planner'
import { type ClusterRule, plannedTraffic, simulateServing } from '@ironlaw/simulator/serving'
import { findDecoder } from '../decoders.ts'
import type { SimulatedLatency, HistogramBin } from './answer.ts'
import type { ServingQuestion } from './question.ts'

const DRAW = { count: 20_000, seed: 1 } as const
const PARTS = 28

/** Undefined if the simulator does not know the plan's engine or precision. */
export function simulateLatency(catalog: Catalog, question: ServingQuestion, plan: ServingPlan): SimulatedLatency | undefined {
  const { arrivals, prefix } = plannedTraffic(foundTraffic(plan), { ...DRAW, longest: plan.model.longestContext })
  const rule = clusterRule(catalog, { question, plan, prefixTokens: prefix?.tokens })
  if (!rule) return undefined
  const outcome = simulateServing(rule, arrivals, { seed: DRAW.seed, ...(prefix && { hashes: prefix.hashes }) })
  return {
    requests: outcome.requests,
    replicas: plan.pools.reduce((sum, { replicas }) => sum + replicas, 0),
    attained: outcome.attained,
    busy: outcome.busy,
    ttft: outcome.ttft.parts(PARTS).map(histogramBin),
    tpot: outcome.tpot.parts(PARTS).map(histogramBin),
    ttft_p99_s: outcome.ttft_s.p99,
    tpot_p99_s: outcome.tpot_s.p99,
  }
}

/** What is found of prompts that come back is what the tiers of the plan hold. */
const foundTraffic = ({ traffic, pools }: ServingPlan): ServingPlan['traffic'] => ({
  ...traffic,
  cachedPrompt: pools.find(({ tiers }) => tiers !== undefined)?.tiers?.cached ?? traffic.cachedPrompt,
})

type SimulatedPlan = { readonly question: ServingQuestion; readonly plan: ServingPlan; readonly prefixTokens: number | undefined }

/** The pools of a plan as the simulator runs them, with everything that changes what a step costs. */
export function clusterRule(catalog: Catalog, { question, plan, prefixTokens }: SimulatedPlan): ClusterRule | undefined {
  const main = plan.pools.find(({ role }) => role !== 'prefill')
  const first = plan.pools.find(({ role }) => role === 'prefill')
  const { speculation, ...planned } = plan
  const described = {
    ...planned,
    architecture: findDecoder(question).architecture,
    ...(speculation && { speculation: speculationOf(speculation) }),
  }
  const design = main && replicaDesign(catalog, described, main.layout)
  const prompts = first && replicaDesign(catalog, described, first.layout)
  if (!main || !design || (first && !prompts)) return undefined
  return {
    replica: replicaRule(design, { prefixTokens, load_s: main.tiers?.load_s }),
    replicas: main.replicas,
    router: 'two-choices',
    objectives: plan.objectives,
    ...(first &&
      prompts && {
        prefill: {
          replica: { ...replicaRule(prompts, { prefixTokens }), role: 'prefill' },
          replicas: first.replicas,
          transfer: cacheTransfer({ from: prompts, to: design }),
        },
      }),
  }
}

/** A plan names the model that drafts; the simulator needs its architecture. */
function speculationOf({ model, ...speculation }: NonNullable<ServingPlan['speculation']>): Speculation {
  if (model === undefined) return speculation
  const { name, architecture } = findDecoder({ model, config: '' })
  return { ...speculation, draft: { name, architecture } }
}

const histogramBin = ({ from, to, values }: { readonly from: number; readonly to: number; readonly values: number }): HistogramBin => ({
  from,
  to,
  count: values,
})
