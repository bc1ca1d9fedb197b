// The configuration of a gateway: one document with a version, written elsewhere and only read here. It holds everything that
// a gateway needs to answer requests, so that it depends on nothing but the engines.
//
// Two parsers: in a file that a person wrote, an unknown field is an error, because it is most likely misspelt. A control plane may be of a
// newer release, so unknown fields from it are dropped: rejecting the document would also reject the key revocations in it.

import { z } from 'zod'
import { readValue } from './read-value.ts'

const name = z.string().min(1).max(200)
const count = z.int().min(0)

const replica = z.object({
  id: name,
  url: z.url({ protocol: /^https?$/ }),
  /** What its certificate must name, where that is not the host of the URL. */
  tls_name: name.exactOptional(),
  max_running: count.default(64),
})

const router = z.enum(['round-robin', 'two-choices', 'least-tokens', 'prefix-aware', 'kv-aware', 'sticky'])
const DEFAULT_ROUTER = 'kv-aware' as const

const poolSettings = z.object({
  /** An unknown router falls back to the default: any router works. */
  router: router.or(name.transform(() => DEFAULT_ROUTER)).default(DEFAULT_ROUTER),
  /** Environment variable with the bearer token that the engines require; secrets stay out of snapshots. */
  token_variable: name.optional(),
  prefill_s_per_token: z.number().positive().default(1e-4),
  step_s: z.number().positive().default(0.02),
  step_s_per_sequence: z.number().positive().default(2e-4),
  kv_tokens: count.default(500_000),
  max_queued: count.default(1000),
  max_queued_tokens: count.default(10_000_000),
  /** Whether engines are sent the tenant's `cache_salt`; without it tenants share their prefix caches. Only for engines that refuse the field. */
  cache_salt: z.boolean().default(true),
})

const pool = poolSettings.extend({
  replicas: z.array(replica).max(4096),
  /** The engines' name for the model, where it differs. */
  model: name.optional(),
})

const modelSettings = z.object({
  context_tokens: count.default(131_072),
  max_output_tokens: count.default(4096),
  input_usd_per_million: z.number().min(0).default(0),
  output_usd_per_million: z.number().min(0).default(0),
  deadline_s: z.number().positive().default(600),
  first_byte_s: z.number().positive().default(60),
  stall_s: z.number().positive().default(30),
  max_attempts: z.int().min(1).max(10).default(3),
  hedge: z.boolean().default(false),
  created: count.default(0),
})

const model = modelSettings.extend({
  /**
   * A canary is a second target with a small weight. A pool on trial has to answer what the others answer: a request that it refuses is sent to
   * one of them, and if that one answers it, the refusal counts as a failure.
   */
  targets: z.array(z.object({ pool: name, weight: z.number().min(0).default(1), trial: z.boolean().exactOptional() })).min(1),
  /** Copies of a share of the requests go here as well, of one pool's where it is named; clients never see the answers. */
  shadow: z.object({ pool: name, share: z.number().min(0).max(1), of: name.optional() }).optional(),
})

const tenant = z.object({
  weight: z.number().positive().default(1),
  requests_per_minute: count.default(1_000_000),
  tokens_per_minute: count.default(1_000_000_000),
  concurrency: count.default(10_000),
  kv_tokens: count.default(1_000_000_000),
  budget: name.optional(),
  class: z
    .string()
    .regex(/^[a-z\d-]{1,63}$/, 'lower-case letters, digits and hyphens, at most 63')
    .default('default')
    .describe("The class under which the tenant's traffic is profiled"),
})

const logged = z.enum(['none', 'sizes', 'text'])

const key = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  tenant: name,
  priority: z.int().min(-10).max(10).default(0),
  /** All models where absent. */
  models: z.array(name).optional(),
  /** Equal requests with an answer not older than this get that answer; 0 disables this. */
  cache_s: z.number().min(0).default(0),
  /** Keys of the same group share the engines' prefix caches, across tenants too; a key without one shares with its tenant's others. */
  cache_group: name.optional(),
  /** At an unknown level nothing is logged. */
  log: logged.or(name.transform(() => 'none' as const)).default('sizes'),
  expires_at: z.number().optional(),
})

const limits = z.object({
  body_bytes: count.default(4_194_304),
  body_s: z.number().positive().default(30),
  /** A client that reads nothing for this long is disconnected, because its stream holds memory of an engine. */
  reader_stall_s: z.number().positive().default(60),
})

const MOST_KEYS = 1_000_000

const access = { tenants: z.record(name, tenant), keys: z.array(key).max(MOST_KEYS), limits: limits.prefault({}) }

const schema = z.object({
  version: count,
  /** Of the control plane's database: versions of two epochs cannot be compared. Absent in a file that a person wrote. */
  epoch: name.exactOptional(),
  /** Of everything else in the document, to distinguish two documents with the same version. */
  digest: name.exactOptional(),
  /** Seed of the prefix cache salts; a control plane draws one, so that all its gateways use the same salts. */
  cache_secret: z.string().min(32).max(200).exactOptional(),
  pools: z.record(name, pool),
  models: z.record(name, model),
  ...access,
})

/** Keys without a tenant must be rejected here: gateways would reject the whole document and keep their old configuration. */
export function checkTenants({ tenants, keys }: Pick<GatewaySnapshot, 'tenants' | 'keys'>, context: z.RefinementCtx): void {
  for (const [index, { tenant }] of keys.entries())
    if (!Object.hasOwn(tenants, tenant))
      context.addIssue({ code: 'custom', path: ['keys', index, 'tenant'], message: `there is no tenant "${tenant}"` })
}

/** What operators configure for gateways: who has access, and how the model of a deployment is served. The rest comes from deployments. */
export const GATEWAY_CONFIG = z
  .strictObject({
    tenants: z.record(name, z.strictObject(tenant.shape)),
    keys: z.array(z.strictObject({ ...key.shape, log: logged.default('sizes') })).max(MOST_KEYS),
    limits: z.strictObject(limits.shape).prefault({}),
    models: z.record(name, z.strictObject(modelSettings.shape)).default({}),
    pools: z.record(name, z.strictObject({ ...poolSettings.shape, router: router.default(DEFAULT_ROUTER) })).default({}),
  })
  .superRefine(checkTenants)
  .meta({ id: 'GatewayConfig' })

/** The same document from the database, where a newer control plane may have written it. */
export const STORED_GATEWAY_CONFIG = z.object({
  ...access,
  models: z.record(name, modelSettings).default({}),
  pools: z.record(name, poolSettings).default({}),
})

export type GatewayConfig = z.output<typeof GATEWAY_CONFIG>

export const POOL_DEFAULTS = poolSettings.parse({})
export const MODEL_DEFAULTS = modelSettings.parse({})

export type GatewaySnapshot = z.output<typeof schema>
export type ModelEntry = GatewaySnapshot['models'][string]
export type PoolEntry = GatewaySnapshot['pools'][string]
export type TenantEntry = GatewaySnapshot['tenants'][string]
export type KeyEntry = GatewaySnapshot['keys'][number]

export type ParsedSnapshot = { readonly ok: true; readonly snapshot: GatewaySnapshot } | { readonly ok: false; readonly problem: string }

export function parseSnapshot(document: unknown): ParsedSnapshot {
  const { success, data, error } = readValue(schema, document)
  if (!success) {
    const [issue] = error.issues
    return { ok: false, problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a snapshot'}` }
  }
  const problem = danglingName(data)
  return problem === undefined ? { ok: true, snapshot: data } : { ok: false, problem }
}

function danglingName({ models, pools, tenants, keys }: GatewaySnapshot): string | undefined {
  for (const [id, { targets, shadow }] of Object.entries(models))
    for (const named of [...targets.map((target) => target.pool), ...(shadow ? [shadow.pool, shadow.of ?? shadow.pool] : [])])
      if (!Object.hasOwn(pools, named)) return `models.${id}: there is no pool "${named}"`
  for (const [index, one] of keys.entries()) {
    if (!Object.hasOwn(tenants, one.tenant)) return `keys.${index}: there is no tenant "${one.tenant}"`
  }
  return undefined
}
