// What a gateway tells the control plane about once a second, and takes back: the newest configuration. All counts are totals since the
// gateway's process began, so that a message that is lost or comes twice changes nothing.

import * as z from 'zod'

const total = z.number().nonnegative()
const name = z.string().min(1).max(200)
/** `log_sum` is the sum of the natural logarithms of seconds. */
const sums = z.strictObject({
  count: total,
  log_sum: z.number(),
  buckets: z
    .record(z.string().regex(/^\d{1,3}$/), total)
    .exactOptional()
    .describe('Answers by how long they took, by number of the bucket'),
})

const OUTPUTS = z.strictObject({
  pairs: total,
  length_log_sum: z.number().describe('Of the logarithms of their ratio of lengths, its own over the other'),
  compared: total.describe('Pairs to requests without randomness'),
  same: total.describe('Of those compared, with the same text'),
  agreed: total.describe('Of those compared, the sum of the shares of the text before the first difference'),
})

const REPLICA_TOTALS = z.strictObject({
  pool: name,
  id: name,
  listed: z.boolean().describe('Whether the configuration in force sends requests there'),
  running: total,
  answers: total,
  errors: total.describe('Attempts that came to nothing by its fault'),
  tokens: total.describe('Of prompts and answers'),
  ttft: sums,
  tpot: sums,
  outputs: OUTPUTS.exactOptional().describe('Its answers to copies of requests, beside those that clients got'),
  heard_age_s: total.exactOptional().describe('Since it last answered'),
})

const POOL_TOTALS = z.strictObject({ name, arrived: total.describe('Requests, those turned away too'), queued: total })

export const GATEWAY_SYNC = z
  .strictObject({
    boot: name.describe('Names this process of the gateway: another one begins at zero'),
    version: z.int().min(-1).describe('Of the configuration in force; -1 before the first'),
    leaving: z.boolean().default(false).describe('It is about to end, and has nothing running'),
    pools: z.array(POOL_TOTALS).max(10_000),
    replicas: z.array(REPLICA_TOTALS).max(10_000),
  })
  .meta({ id: 'GatewaySync' })

export type GatewaySync = z.infer<typeof GATEWAY_SYNC>
export type ReplicaTotals = GatewaySync['replicas'][number]
export type PoolTotals = GatewaySync['pools'][number]
