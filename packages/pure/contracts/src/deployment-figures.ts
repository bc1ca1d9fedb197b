// Live figures of a deployment, in addition to its settings: traffic, the evidence of its rollout, the tenants that may use it.

import * as z from 'zod'
import { GATEWAY_VIEW } from './gateway-sync.ts'

const at = z.number().describe('Seconds since 1970-01-01 UTC')
const count = z.number().nonnegative()

const PERCENTILES = z.object({ p50: count, p90: count, p99: count }).describe('Seconds')

const WINDOW = z.object({
  from_at: at,
  revision: z.int(),
  answers: count,
  errors: count,
  refused: count.exactOptional().describe('Requests that engines called invalid'),
  tokens: count.describe('Of prompts and answers'),
  ttft_s: count.exactOptional().describe('To the first token: geometric mean'),
  tpot_s: count.exactOptional().describe('Per token after the first: geometric mean'),
  ttft_percentiles_s: PERCENTILES.exactOptional(),
  tpot_percentiles_s: PERCENTILES.exactOptional(),
})

const perGuardrail = z.object({
  ttft: z.number().exactOptional(),
  tpot: z.number().exactOptional(),
  errors: z.number().exactOptional(),
  quality: z.number().exactOptional(),
  outputs: z.number().exactOptional(),
})

const GUARDRAIL_RULE = z.object({
  margins: perGuardrail.describe('The smallest regression that matters'),
  worse: z.number().describe('Evidence threshold at or above which the new revision is "worse"'),
  as_good: z.number().describe('Evidence threshold at or below which it is "as good"'),
  shares: z.array(z.number()).describe('Of the traffic, by stage'),
  stage_s: z.number(),
})

const EVIDENCE_TRAIL = z.object({
  revision: z.int(),
  points: z.array(z.object({ at, stage: z.int(), evidence: perGuardrail })).describe('Oldest first; each stage begins at zero'),
})

const TENANT = z.object({
  name: z.string(),
  keys: z.int().describe('Keys that may use this deployment'),
  weight: z.number(),
  requests_per_minute: count,
  tokens_per_minute: count,
  concurrency: count,
  budget: z.string().exactOptional(),
})

export const DEPLOYMENT_FIGURES = z
  .object({
    window_s: z.number(),
    windows: z.array(WINDOW).describe('The last half hour, oldest first; none where nothing was answered'),
    queued: count.describe('Requests that wait at gateways'),
    replicas: z.array(z.object({ id: z.string(), running: count })).describe('Requests that each has now'),
    gateways: z.array(GATEWAY_VIEW).describe('Heard lately, with the configuration that each has applied'),
    rule: GUARDRAIL_RULE,
    trail: EVIDENCE_TRAIL.exactOptional().describe(
      'Of the rollout, or of the last one: log-likelihood ratios of "worse" against "as good"',
    ),
    tenants: z.array(TENANT).describe('Tenants that may use it'),
  })
  .meta({ id: 'DeploymentFigures' })

export type DeploymentFigures = z.infer<typeof DEPLOYMENT_FIGURES>
export type Guardrail = keyof z.infer<typeof perGuardrail>
export type LatencyPercentiles = z.infer<typeof PERCENTILES>
export type TrafficFigures = z.infer<typeof WINDOW>
export type GuardrailRule = z.infer<typeof GUARDRAIL_RULE>
export type EvidenceTrail = z.infer<typeof EVIDENCE_TRAIL>
