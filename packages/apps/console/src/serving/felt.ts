// Latencies that users see: the plan under generated traffic, request by request.

import type { Catalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { cacheTransfer, replicaDesign, replicaRule } from '@ironlaw/planner'
import { type ClusterRule, plannedTraffic, simulateServing } from '@ironlaw/simulator/serving'
import { findDecoder } from '../decoders.ts'
import type { SimulatedLatency, HistogramBin } from './answer.ts'
import type { ServingQuestion } from './question.ts'

const DRAW = { count: 20_000, seed: 1 } as const
const PARTS = 28

/** Undefined if the simulator does not know the plan's engine or precision. */
export function simulateLatency(catalog: Catalog, question: ServingQuestion, plan: ServingPlan): SimulatedLatency | undefined {
  const { arrivals, prefix } = plannedTraffic(plan.traffic, DRAW)
  const main = plan.pools.find(({ role }) => role !== 'prefill')
  const first = plan.pools.find(({ role }) => role === 'prefill')
  const { speculation: _, ...planned } = plan
  const described = { ...planned, architecture: findDecoder(question).architecture }
  const design = main && replicaDesign(catalog, described, main.layout)
  const prompts = first && replicaDesign(catalog, described, first.layout)
  if (!main || !design || (first && !prompts)) return undefined
  const prefixTokens = prefix?.tokens
  const rule: ClusterRule = {
    replica: replicaRule(design, { prefixTokens }),
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
  const outcome = simulateServing(rule, arrivals, { seed: DRAW.seed, ...(prefix && { hashes: prefix.hashes }) })
  return {
    requests: outcome.requests,
    attained: outcome.attained,
    busy: outcome.busy,
    ttft: outcome.ttft.parts(PARTS).map(histogramBin),
    tpot: outcome.tpot.parts(PARTS).map(histogramBin),
    ttft_p99_s: outcome.ttft_s.p99,
    tpot_p99_s: outcome.tpot_s.p99,
  }
}

const histogramBin = ({ from, to, values }: { readonly from: number; readonly to: number; readonly values: number }): HistogramBin => ({
  from,
  to,
  count: values,
})
