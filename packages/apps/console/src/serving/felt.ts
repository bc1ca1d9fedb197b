// Latencies that users see: the plan under generated traffic, request by request.

import type { Catalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { ENGINE_RUNTIMES, preparedReplica, SERVING_PRECISIONS, servingMachine } from '@ironlaw/planner'
import { type ClusterRule, plannedTraffic, type ReplicaRule, simulateServing, VLLM_RULE } from '@ironlaw/simulator/serving'
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
  const made = main && replicaSetup(catalog, question, { plan, pool: main })
  const prefill = first && replicaSetup(catalog, question, { plan, pool: first })
  if (!main || !made || (first && !prefill)) return undefined
  const rule: ClusterRule = {
    replica: { ...made.rule, ...(prefix && { prefixTokens: prefix.tokens }) },
    replicas: main.replicas,
    router: 'least-tokens',
    objectives: plan.objectives,
    ...(first &&
      prefill && {
        prefill: {
          replica: { ...prefill.rule, role: 'prefill', ...(prefix && { prefixTokens: prefix.tokens }) },
          replicas: first.replicas,
          ...prefill.link,
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

type PlanPool = { readonly plan: ServingPlan; readonly pool: ServingPlan['pools'][number] }
type ReplicaSetup = {
  readonly rule: ReplicaRule
  readonly link: Pick<NonNullable<ClusterRule['prefill']>, 'link_bytes_per_s' | 'latency_s' | 'token_bytes'>
}

/** A pipeline lane is a batch of its own, with its share of the cache. */
function replicaSetup(catalog: Catalog, question: ServingQuestion, { plan, pool: { layout } }: PlanPool): ReplicaSetup | undefined {
  const precision = Object.values(SERVING_PRECISIONS).find(({ name }) => name === plan.precision)
  const runtime = ENGINE_RUNTIMES[question.engine]
  if (!precision) return undefined
  const machine = servingMachine(catalog, { accelerator: plan.accelerator })
  const { step, memory } = preparedReplica({
    architecture: findDecoder(question).architecture,
    machine,
    precision,
    cache: plan.cache,
    runtime,
    layout,
  })
  return {
    rule: {
      ...VLLM_RULE,
      lanes: layout.pipeline,
      cost: step.time,
      tokensPerStep: runtime.tokensPerStep * layout.data,
      sequencesMost: Math.ceil((runtime.sequencesMost * layout.data) / layout.pipeline),
      blocks: Math.max(1, Math.floor(memory.tokens / VLLM_RULE.blockTokens / layout.pipeline)),
      request_s: runtime.request_s,
    },
    link: { link_bytes_per_s: machine.fabric.portBandwidth, latency_s: machine.fabric.portLatency, token_bytes: memory.token_bytes },
  }
}
