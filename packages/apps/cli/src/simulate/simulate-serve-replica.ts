// The pools of a deployment as the simulator runs them, and what is simulated on them.

import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Catalog } from '@ironlaw/catalog'
import { IronlawError, type ServingPlan } from '@ironlaw/contracts'
import type { Architecture } from '@ironlaw/models'
import { cacheTransfer, type ReplicaConditions, type ReplicaDesign, replicaDesign, replicaRule } from '@ironlaw/planner'
import { type Arrivals, type ClusterRule, parseTrace, type ReplicaRule, type SharedPrefix, type Trace } from '@ironlaw/simulator/serving'
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

type SimulatedPool = ReplicaConditions & { readonly deployment: DeploymentDescription; readonly pool: ServingPlan['pools'][number] }

function poolDesign(catalog: Catalog, { deployment, pool }: Pick<SimulatedPool, 'deployment' | 'pool'>): ReplicaDesign {
  const { speculation, model, architecture, ...described } = deployment
  const drafting = speculation && plannedSpeculation(speculation, { name: model, architecture })
  const design = replicaDesign(catalog, { ...described, architecture, ...(drafting && { speculation: drafting }) }, pool.layout)
  if (design) return design
  throw new IronlawError('IL_USAGE', {
    problem: `unknown engine or precision: ${deployment.engine}, ${deployment.precision}`,
    command: COMMAND,
  })
}

export function poolRule(catalog: Catalog, { deployment, pool, ...conditions }: SimulatedPool): ReplicaRule {
  const rule = replicaRule(poolDesign(catalog, { deployment, pool }), { ...conditions, load_s: pool.tiers?.load_s })
  if (rule.blocks >= 1) return rule
  throw new IronlawError('IL_USAGE', {
    problem: `${deployment.model} does not fit on ${pool.devicesPerReplica} ${deployment.accelerator}`,
    command: COMMAND,
  })
}

/** What is found of prompts that come back is as the tiers of the plan hold it. */
export const simulatedTraffic = ({ traffic, pools }: ServingPlan): ServingPlan['traffic'] => ({
  ...traffic,
  cachedPrompt: pools.find(({ tiers }) => tiers !== undefined)?.tiers?.cached ?? traffic.cachedPrompt,
})

type PrefillPool = Omit<SimulatedPool, 'maxRunning'> & { readonly decode: ServingPlan['pools'][number] }

export const prefillOf = (catalog: Catalog, { decode, ...pooled }: PrefillPool): NonNullable<ClusterRule['prefill']> => ({
  replica: { ...poolRule(catalog, pooled), role: 'prefill' },
  replicas: pooled.pool.replicas,
  transfer: cacheTransfer({ from: poolDesign(catalog, pooled), to: poolDesign(catalog, { ...pooled, pool: decode }) }),
})

export function readTrace(path: string): Trace {
  if (!existsSync(path)) throw new IronlawError('IL_FILE', { path, reason: 'there is no such file' })
  const content = readFileSync(path)
  const parsed = parseTrace((path.endsWith('.gz') ? gunzipSync(content) : content).toString())
  if (!parsed.ok) throw new IronlawError('IL_FILE', { path, reason: parsed.problem })
  return parsed.trace
}
