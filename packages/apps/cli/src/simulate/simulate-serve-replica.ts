// Replicas of a deployment as the simulator needs them: the cost of a step, the number of blocks that fit, speculative decoding.

import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Catalog } from '@ironlaw/catalog'
import { IronlawError, type ServingPlan } from '@ironlaw/contracts'
import type { Architecture } from '@ironlaw/models'
import { ENGINE_RUNTIMES, preparedReplica, type PreparedReplica, requestTime, SERVING_PRECISIONS, servingMachine } from '@ironlaw/planner'
import {
  type Arrivals,
  type ClusterRule,
  parseTrace,
  type ReplicaRule,
  type SharedPrefix,
  type Trace,
  VLLM_RULE,
} from '@ironlaw/simulator/serving'
import { plannedSpeculation } from '../plan/speculation-source.ts'

/** A deployment described by a plan or by flags. */
export type DeploymentDescription = Pick<
  ServingPlan,
  'accelerator' | 'precision' | 'cache' | 'engine' | 'pools' | 'speculation' | 'adapters' | 'offload'
> & {
  readonly model: string
  readonly architecture: Architecture
  readonly traffic?: ServingPlan['traffic']
  readonly objectives?: ServingPlan['objectives']
  /** Includes its prediction, if there is one. */
  readonly plan?: ServingPlan
}

/** What is simulated, for the simulator and for the reader of the answer. */
export type ServingScenario = {
  readonly title: string
  readonly note?: string
  readonly json: object
  readonly base: Pick<ClusterRule, 'replica' | 'replicas' | 'prefill' | 'sharing'>
  readonly coldStart_s: number
  readonly traffic?: ServingPlan['traffic']
  readonly objectives?: ServingPlan['objectives']
  readonly plan?: ServingPlan
  /** Prefix shared by prompts, if they are generated. */
  readonly prefix?: SharedPrefix
  readonly scaling?: NonNullable<ClusterRule['autoscale']>['rule']
  /** Fields of the spec that have no effect here, with what reads them. */
  readonly notSimulated?: readonly string[]
  /** Its share of the traffic. */
  readonly limited?: (arrivals: Arrivals) => Arrivals
}

export const COMMAND = 'simulate serve'

type PoolOfDeployment = {
  readonly deployment: DeploymentDescription
  readonly pool: ServingPlan['pools'][number]
  readonly prefixTokens: number | undefined
}

/** A pipeline lane is a batch of its own, with its share of the cache. */
export function replicaRule(
  catalog: Catalog,
  { deployment, pool, prefixTokens }: PoolOfDeployment,
): { readonly replica: ReplicaRule; readonly made: PreparedReplica } {
  const runtime = Object.entries(ENGINE_RUNTIMES).find(([name]) => name === deployment.engine)?.[1]
  const precision = Object.values(SERVING_PRECISIONS).find(({ name }) => name === deployment.precision)
  if (!runtime || !precision)
    throw new IronlawError('IL_USAGE', {
      problem: `unknown engine or precision: ${deployment.engine}, ${deployment.precision}`,
      command: COMMAND,
    })
  const machine = servingMachine(catalog, { accelerator: deployment.accelerator })
  const { layout } = pool
  const { architecture, model, speculation } = deployment
  const drafting = speculation && plannedSpeculation(speculation, { name: model, architecture })
  const made = preparedReplica({
    architecture,
    machine,
    precision,
    cache: deployment.cache,
    runtime,
    layout,
    ...(drafting && { speculation: drafting }),
    ...(deployment.adapters && { adapters: deployment.adapters }),
    ...(deployment.offload && { offload: deployment.offload }),
  })
  const blocks = Math.floor(made.memory.tokens / VLLM_RULE.blockTokens / layout.pipeline)
  if (blocks < 1)
    throw new IronlawError('IL_USAGE', {
      problem: `${deployment.model} does not fit on ${pool.devicesPerReplica} ${deployment.accelerator}`,
      command: COMMAND,
    })
  const replica: ReplicaRule = {
    ...VLLM_RULE,
    lanes: layout.pipeline,
    cost: stepCost(made),
    tokensPerStep: runtime.tokensPerStep * layout.data,
    sequencesMost: Math.ceil((runtime.sequencesMost * layout.data) / layout.pipeline),
    blocks,
    // Keys of prompts that come back are read before a prompt starts.
    request_s: requestTime(made.replica) + (pool.tiers?.load_s ?? 0),
    ...(speculation && { speculation: { drafted: speculation.drafted, acceptance: speculation.acceptance, draft_s: 0 } }),
    ...(prefixTokens !== undefined && prefixTokens > 0 && { prefixTokens }),
  }
  return { replica, made }
}

/** What is found of prompts that come back is as the tiers of the plan hold it. */
export const simulatedTraffic = ({ traffic, pools }: ServingPlan): ServingPlan['traffic'] => ({
  ...traffic,
  cachedPrompt: pools.find(({ tiers }) => tiers !== undefined)?.tiers?.cached ?? traffic.cachedPrompt,
})

/** A gateway sends a replica no more than its limit at once; each pipeline lane has its share of that. */
export const withSequenceLimit = (most: number | undefined, replica: ReplicaRule): ReplicaRule =>
  most === undefined
    ? replica
    : { ...replica, sequencesMost: Math.max(1, Math.min(replica.sequencesMost, Math.ceil(most / (replica.lanes ?? 1)))) }

/** Every device of a prefill replica sends its share of the keys through its own port. */
export function prefillOf(catalog: Catalog, pooled: PoolOfDeployment): NonNullable<ClusterRule['prefill']> {
  const { replica, made } = replicaRule(catalog, pooled)
  const { fabric } = made.replica.machine
  return {
    replica: { ...replica, role: 'prefill' },
    replicas: pooled.pool.replicas,
    link_bytes_per_s: fabric.portBandwidth,
    latency_s: fabric.portLatency,
    token_bytes: made.memory.token_bytes,
  }
}

/** The simulator counts every token that is checked, the planner sequences: drafting is part of the planner's step. */
function stepCost({ replica: { speculation }, step }: PreparedReplica): ReplicaRule['cost'] {
  const checked = 1 + (speculation?.drafted ?? 0)
  return checked === 1 ? step.time : (load) => step.time({ ...load, decodeSequences: load.decodeSequences / checked })
}

export function readTrace(path: string): Trace {
  if (!existsSync(path)) throw new IronlawError('IL_FILE', { path, reason: 'there is no such file' })
  const content = readFileSync(path)
  const parsed = parseTrace((path.endsWith('.gz') ? gunzipSync(content) : content).toString())
  if (!parsed.ok) throw new IronlawError('IL_FILE', { path, reason: parsed.problem })
  return parsed.trace
}
