// Deployments as the HTTP API takes and gives them. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { ARTIFACT_REFERENCE } from './artifact.ts'
import { DEPLOYMENT_STATES, REPLICA_ENDS, REPLICA_STATES, ROLLOUT_STATES } from './deployment.ts'
import type { Immutable } from './immutable.ts'
import { DEVICE_REQUEST, ENVIRONMENT, word } from './run-shape.ts'
import { SECRET_REFERENCES } from './secrets.ts'
import { DRILL } from './way-back-drill.ts'

const at = z.number().describe('Seconds since 1970-01-01 UTC')
const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and hyphens, at most 40')
const share = z.number().positive().max(1)
const seconds = z.number().positive()

const PROBE = z.strictObject({
  prompt: word.min(1).max(10_000).describe('Sent as a text completion, without randomness'),
  expect: word.min(1).max(10_000).describe('What the answer must contain'),
  max_tokens: z.int().positive().max(256).default(16),
})

/** Defaults of scaling; plans and simulations use the same. */
export const DEFAULT_SCALING = { covered: 0.9, cold_start_s: 60, drain_s: 10, down_after_s: 300, idle_s: 900 } as const

const SCALING = z.strictObject({
  min: z.int().nonnegative().default(1),
  max: z.int().positive(),
  tokens_per_s: z.number().positive().describe('Prompt and answer tokens per second that one replica sustains within the objectives'),
  covered: share.lt(1).default(DEFAULT_SCALING.covered).describe('Fraction of burst traffic that the replicas should absorb'),
  cold_start_s: seconds.default(DEFAULT_SCALING.cold_start_s).describe('From the decision to a warm replica'),
  drain_s: seconds.default(DEFAULT_SCALING.drain_s).describe('Longest time a queue may last; bursts are measured over this time'),
  down_after_s: seconds
    .default(DEFAULT_SCALING.down_after_s)
    .describe('Time for which fewer replicas must have been enough before scaling down'),
  idle_s: seconds.default(DEFAULT_SCALING.idle_s).describe('Idle time before scaling to zero; only if min is 0'),
})

const MARGINS = z.strictObject({
  ttft: share.exactOptional(),
  tpot: share.exactOptional(),
  errors: share.exactOptional(),
  quality: share.exactOptional(),
  outputs: share
    .exactOptional()
    .describe('Share of answers to copied requests without randomness that differ from those of the current revision'),
})

const ROLLOUT_RULE = z
  .strictObject({
    shares: z.array(share).min(1).max(10).exactOptional().describe('Of the traffic, rising'),
    shadow_s: z
      .number()
      .nonnegative()
      .exactOptional()
      .describe('Time during which the new revision answers copies of requests that no client sees'),
    stage_s: seconds.exactOptional().describe('A stage still undecided after this time pauses the rollout'),
    start_failures: z.int().positive().exactOptional().describe('Start failures of the new revision after which it is rolled back'),
    keep_previous_s: z
      .number()
      .nonnegative()
      .max(86_400)
      .exactOptional()
      .describe('How long replicas of the previous revision are kept warm after a promotion, for a fast rollback; default 600'),
    margins: MARGINS.default({}).describe('The smallest regression that matters; latencies and rates as shares'),
  })
  .prefault({})

const LIMITS = z
  .strictObject({ start_s: seconds.exactOptional(), silence_s: seconds.exactOptional(), drain_s: z.number().nonnegative().exactOptional() })
  .prefault({})

export const DEPLOYMENT_SPEC = z.strictObject({
  plan: z
    .string()
    .max(200)
    .exactOptional()
    .describe('Id of the serving plan that it is compared with; by default the plan of its revision'),
  replicas: z.int().nonnegative().max(1000).describe('Number of replicas; with scaling, the initial number'),
  scaling: SCALING.exactOptional().describe('The number follows the traffic; it stays when absent'),
  release: z
    .enum(['required'])
    .exactOptional()
    .describe('"required": new revisions must name a version of a model that is released or waived; when absent, they may serve any files'),
  rollout: ROLLOUT_RULE.describe('How a new revision is tried'),
  probes: z.array(PROBE).max(20).default([]).describe('Known prompts that a new revision must answer correctly'),
  limits: LIMITS.describe('Timeouts for replicas'),
})

/** Stricter check for new specs; stored specs are shown even if they would fail it. */
export const DESIRED_SPEC = DEPLOYMENT_SPEC.extend({
  scaling: SCALING.refine(({ min, max }) => min <= max, { path: ['min'], error: 'must not be more than max' })
    .exactOptional()
    .describe('The number follows the traffic; it stays when absent'),
})

export const NEW_REVISION = z
  .strictObject({
    plan: z.string().exactOptional().describe('Id of the serving plan'),
    model: word.min(1).describe('Name of the model in the engine'),
    version: ARTIFACT_REFERENCE.exactOptional().describe(
      'Version of the model, an artifact of the project with a model-version.json; "ironlaw engine" then refuses other files',
    ),
    argv: z
      .array(word.min(1))
      .min(1)
      .describe(
        'Command that starts one engine, with {version} for the id of its version; it writes its URL and, as a second line, IRONLAW_REPLICA_TOKEN to the file IRONLAW_ENDPOINT_FILE names',
      ),
    directory: word.startsWith('/', 'must be an absolute path').describe('Working directory'),
    environment: ENVIRONMENT,
    secrets: SECRET_REFERENCES.exactOptional(),
    processes: z.int().positive().default(1).describe('Slots that a replica takes on its node'),
    devices: DEVICE_REQUEST.exactOptional().describe('Accelerators that a replica holds exclusively; none are requested when absent'),
    max_running: z.int().positive().default(64).describe('Requests that one replica serves at once'),
  })
  .meta({ id: 'NewRevision' })

export const CREATE_DEPLOYMENT = z
  .strictObject({
    name: id.describe('Name of the deployment, and of its model at the gateways'),
    project: id.default('default'),
    team: id.default('default'),
    spec: DESIRED_SPEC,
    revision: NEW_REVISION,
  })
  .meta({ id: 'CreateDeployment' })

export const CHANGE_DEPLOYMENT = z
  .strictObject({
    spec: DESIRED_SPEC.describe('Replaces all settings: fields that are left out return to their defaults'),
    revision: NEW_REVISION.exactOptional().describe('What to serve; if it differs from the current revision, it is tried as a new one'),
  })
  .meta({ id: 'ChangeDeployment' })

const REPLICA_VIEW = z.object({
  id: z.string(),
  revision: z.int(),
  state: z.enum(REPLICA_STATES),
  since_at: at,
  url: z.string().exactOptional(),
  ready_at: at.exactOptional(),
  end: z.enum(REPLICA_ENDS).exactOptional(),
  detail: z.string().exactOptional(),
})

const FINDING = z.object({
  of: z.enum(['ttft', 'tpot', 'errors', 'quality', 'outputs']),
  verdict: z.enum(['worse', 'as-good', 'undecided']),
  evidence: z.number().describe('Logarithm of the likelihood ratio of "worse" against "as good"'),
  effect: z
    .number()
    .exactOptional()
    .describe('Compared with the current revision: a ratio for latencies, a difference for rates, a share of differing answers'),
  samples: z.number(),
  needs: z.number().exactOptional().describe('Samples expected to be needed to show that it is as good, given the margin and the variance'),
})

const OUTPUTS = z.object({
  pairs: z.number(),
  length_ratio: z.number().describe('Length of its answers over that of the others, geometric mean'),
  compared: z.number().describe('Pairs to requests without randomness'),
  same: z.number().describe('Share of the compared pairs with the same text'),
  agreement: z.number().describe('Mean share of the text before the first difference'),
})

const ROLLOUT_VIEW = z.object({
  revision: z.int(),
  stable: z.int(),
  state: z.enum(ROLLOUT_STATES),
  stage: z.int(),
  since_at: at,
  share: z.number().describe('Of the traffic that it gets now'),
  asked: z.enum(['promote', 'rollback']).exactOptional(),
  why: z.string(),
  findings: z.array(FINDING),
  outputs: OUTPUTS.exactOptional().describe('Its answers to copied requests, compared with the answers that clients got'),
})

export const DEPLOYMENT = z
  .object({
    id: z.string(),
    name: z.string(),
    project: z.string(),
    team: z.string(),
    state: z.enum(DEPLOYMENT_STATES),
    state_since_at: at,
    why: z.string().describe('One sentence; empty when the deployment is in its desired state'),
    wanted: z.int().describe('Replicas'),
    serving: z.int().describe('Replicas of any revision'),
    stable: z.int().describe('Revision that serves all traffic, except the share of a canary'),
    newest: z.int(),
    rollout: ROLLOUT_VIEW.exactOptional(),
    previous: z
      .object({
        revision: z.int(),
        warm: z.int().describe('Replicas kept warm without requests'),
        until_at: at.exactOptional().describe('When the first of them is stopped'),
      })
      .exactOptional()
      .describe('The revision that served before, to which the order "back" returns'),
    replicas: z.array(REPLICA_VIEW).describe('All replicas that are not gone'),
    gone: z
      .array(REPLICA_VIEW)
      .exactOptional()
      .describe('The last 10 replicas that are gone, newest first; only when a single deployment is requested'),
    drills: z.array(DRILL).exactOptional().describe('The last drill of the way back by tier; only when a single deployment is requested'),
    spec: DEPLOYMENT_SPEC,
    revisions: z.array(
      z.object({
        number: z.int(),
        plan: z.string().exactOptional(),
        model: z.string(),
        version: z
          .object({ artifact: z.string(), digest: z.string().describe('SHA-256 of its model-version.json') })
          .exactOptional()
          .describe('Version of the model that it serves'),
        argv: z.array(z.string()),
        environment: z.array(z.string()).describe('Names only'),
        created_at: at,
      }),
    ),
    created_at: at,
    created_by: z.string(),
  })
  .meta({ id: 'Deployment' })

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const DEPLOYMENT_CHANGED = z
  .object({
    changes: z
      .array(
        z.object({
          path: z.string().describe('Of the field; those of a revision begin with "revision."'),
          now: scalar.exactOptional().describe('Absent where it has its default; lists as JSON'),
          next: scalar.exactOptional(),
        }),
      )
      .describe('Empty if nothing would change'),
    revision: z.int().exactOptional().describe('Number of the new revision that is tried'),
    etag: z.string().describe('For If-Match of the next change; after a dry run, for the change that it showed'),
    deployment: DEPLOYMENT,
  })
  .meta({ id: 'DeploymentChanged' })

export const ROLLOUT_ORDER = z
  .strictObject({
    do: z
      .enum(['pause', 'resume', 'promote', 'rollback', 'back'])
      .describe('Applies to the revision on trial; "back" applies afterwards and returns to an earlier revision without a trial'),
    to: z.int().positive().exactOptional().describe('With "back": the revision to return to; the previous one when absent'),
    version: ARTIFACT_REFERENCE.exactOptional().describe(
      'With "back": a version of the model to return to, instead of a revision: the newest revision that named it, or a new one where the command of the current one has {version}',
    ),
    fresh: z
      .literal(true)
      .exactOptional()
      .describe('With "back": as a new revision whose replicas all start, although replicas of the earlier one may be warm'),
  })
  .refine(({ do: what, to, version, fresh }) => what === 'back' || (to ?? version ?? fresh) === undefined, {
    error: '"to", "version" and "fresh" are only valid with "back"',
  })
  .refine(({ to, version }) => to === undefined || version === undefined, { path: ['version'], error: 'name a revision or a version' })
  .meta({ id: 'RolloutOrder' })

export const CONFIG_STORED = z
  .object({
    version: z.int().describe('Of the snapshot that gateways get'),
    etag: z.string().describe('Of the document, for the next change'),
  })
  .meta({ id: 'ConfigStored' })

export type DeploymentSpec = z.infer<typeof DEPLOYMENT_SPEC>
export type NewRevision = z.infer<typeof NEW_REVISION>
export type CreateDeployment = z.infer<typeof CREATE_DEPLOYMENT>
export type ChangeDeployment = z.infer<typeof CHANGE_DEPLOYMENT>
export type DeploymentChanged = z.infer<typeof DEPLOYMENT_CHANGED>
export type DeploymentView = z.infer<typeof DEPLOYMENT>
export type RolloutOrder = z.infer<typeof ROLLOUT_ORDER>['do']
export type RolloutOrderBody = z.infer<typeof ROLLOUT_ORDER>
/** What one guardrail of a rollout shows. */
export type Finding = Immutable<z.infer<typeof FINDING>>
export type Probe = z.infer<typeof PROBE>
