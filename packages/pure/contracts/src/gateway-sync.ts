// What a gateway reports to the control plane about once a second, and the newest configuration that it gets in return. All counts are
// totals since the gateway's process started, so a lost or duplicate message changes nothing. A field that only a newer gateway knows is
// dropped: gateways and control plane are upgraded one after the other.

import * as z from 'zod'

/** Enough for a path and a sentence; the gateway cuts what is longer. */
export const REASON_CHARACTERS = 500

const total = z.number().nonnegative()
const name = z.string().min(1).max(200)
/** `log_sum` is the sum of the natural logarithms of seconds. */
const sums = z.object({
  count: total,
  log_sum: z.number(),
  buckets: z
    .record(z.string().regex(/^\d{1,3}$/), total)
    .exactOptional()
    .describe('Number of answers by latency bucket'),
})

const OUTPUTS = z.object({
  pairs: total,
  length_log_sum: z.number().describe('Of the logarithms of their ratio of lengths, its own over the other'),
  compared: total.describe('Pairs to requests without randomness'),
  same: total.describe('Of those compared, with the same text'),
  agreed: total.describe('Of those compared, the sum of the shares of the text before the first difference'),
})

export const REPLICA_TOTALS = z.object({
  pool: name,
  id: name,
  listed: z.boolean().describe('Whether the current configuration routes requests to it'),
  running: total,
  answers: total,
  errors: total.describe('Attempts that failed because of this replica'),
  refused: total.exactOptional().describe('Requests that it rejected as invalid and that no other replica answered either'),
  empty: total.exactOptional().describe('Answers without a single character'),
  tokens: total.describe('Of prompts and answers'),
  ttft: sums,
  tpot: sums,
  outputs: OUTPUTS.exactOptional().describe('Its answers to copied requests, compared with the answers that clients got'),
  heard_age_s: total.exactOptional().describe('Since it last answered'),
})

const POOL_TOTALS = z.object({ name, arrived: total.describe('Requests, including rejected ones'), queued: total })

const BUDGET = z.object({
  name,
  spent_usd: total,
  limit_usd: total,
})

/** As many as fit into 2 MiB. */
const MOST_LISTED = 5000

const REJECTED = z.object({ epoch: name.exactOptional(), version: z.int().min(-1), reason: z.string().max(REASON_CHARACTERS) })

export const GATEWAY_SYNC = z
  .object({
    boot: name.describe('Identifies this process of the gateway; the totals of a new process start at zero'),
    version: z.int().min(-1).describe('Of the configuration in force; -1 before the first'),
    epoch: name.exactOptional().describe('Of that version; absent where the configuration named none'),
    digest: name.exactOptional().describe('Of that version'),
    kept: z.boolean().exactOptional().describe('Whether a copy is on disk, to start from when the control plane is unreachable'),
    rejected: REJECTED.exactOptional().describe('A newer configuration that this gateway could not apply'),
    leaving: z.boolean().default(false).describe('It is about to exit and has no requests running'),
    pools: z.array(POOL_TOTALS).max(MOST_LISTED),
    replicas: z.array(REPLICA_TOTALS).max(MOST_LISTED),
    budgets: z
      .array(BUDGET)
      .max(MOST_LISTED)
      .exactOptional()
      .describe('Budgets that its requests were charged to, as last reported by the books'),
  })
  .meta({ id: 'GatewaySync' })

export const GATEWAY_STATES = ['current', 'behind', 'rejected', 'silent'] as const

export type GatewayState = (typeof GATEWAY_STATES)[number]

export const GATEWAY_VIEW = z
  .object({
    id: z.string(),
    state: z
      .enum(GATEWAY_STATES)
      .describe('current: applied the newest configuration; behind: not yet; rejected: it could not; silent: no report for 10 s'),
    seen_at: z.number().describe('Seconds since 1970-01-01 UTC'),
    version: z.int().describe('Of the configuration that it has applied; -1 before the first'),
    epoch: z.string().exactOptional().describe('Of that version'),
    kept: z.boolean().exactOptional().describe('Whether a copy is on disk; older gateways do not report it'),
    rejected: z.object({ version: z.int(), reason: z.string() }).exactOptional(),
    budgets: z.array(BUDGET).exactOptional().describe('Budgets that its requests were charged to; all gateways share them'),
  })
  .meta({ id: 'Gateway' })

export type GatewayView = z.infer<typeof GATEWAY_VIEW>

export const GATEWAY_LIST = z
  .object({
    epoch: z.string().describe('Changes when the database is new or was restored'),
    version: z.int().describe('Of the newest configuration; 0 before the first'),
    items: z.array(GATEWAY_VIEW),
  })
  .meta({ id: 'GatewayList' })

export type GatewaySync = z.infer<typeof GATEWAY_SYNC>
export type ReplicaTotals = GatewaySync['replicas'][number]
export type BudgetState = z.infer<typeof BUDGET>
export type PoolTotals = GatewaySync['pools'][number]
