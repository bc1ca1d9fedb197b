// The trail of access as the API shows it.

import * as z from 'zod'

export const ACCESS_RESULTS = ['done', 'refused', 'failed', 'left-out'] as const

export const ACCESS_RECORD = z
  .object({
    at: z.number().describe('Seconds since 1970-01-01 UTC'),
    who: z.string().describe('Id of the token; of a token that is not valid, "token:" and the start of its SHA-256'),
    from: z.string().exactOptional().describe('Address of the client'),
    operation: z.string().exactOptional(),
    object: z.string().exactOptional().describe('Id or name of what was changed or asked for'),
    project: z.string().exactOptional(),
    result: z.enum(ACCESS_RESULTS).describe('failed: the server could not say whether it was done; left-out: refusals beyond the limit'),
    status: z.int().exactOptional().describe('Of the HTTP response'),
    request: z.string().exactOptional().describe('Id of the request, as in the log of the server'),
    count: z.int().exactOptional().describe('Number of refusals that were left out'),
    stream: z.string(),
    sequence: z.int(),
    hash: z.string(),
  })
  .meta({ id: 'AccessRecord' })

export const CHAIN_HEAD = z
  .object({
    stream: z.string().min(1).max(200),
    sequence: z
      .int()
      .min(1)
      .max(2 ** 31 - 1),
    hash: z.string().regex(/^[\da-f]{64}$/, 'a SHA-256'),
  })
  .meta({ id: 'ChainHead' })

export const CHECK_HEADS = z.object({ heads: z.array(CHAIN_HEAD).min(1).max(1000) }).meta({ id: 'CheckHeads' })

export const HEADS_CHECKED = z
  .object({
    contradicted: z.array(
      CHAIN_HEAD.extend({
        problem: z.enum(['missing', 'altered']).describe('missing: the chain ends before it; altered: another event is there'),
      }),
    ),
  })
  .meta({ id: 'HeadsChecked' })

export const AUDIT_SINK = z
  .object({
    target: z.string(),
    sent: z.int().describe('Lines since the control plane started'),
    waiting: z.int(),
    dropped: z.int().describe('Lines that had to make room for newer ones'),
    lag_s: z.number().describe('Age of the oldest line that waits'),
    problem: z.string().exactOptional().describe('Why the last attempt failed'),
  })
  .meta({ id: 'AuditSink' })

export type ChainHead = z.infer<typeof CHAIN_HEAD>
export type ContradictedHead = z.infer<typeof HEADS_CHECKED>['contradicted'][number]
export type AuditSinkView = z.infer<typeof AUDIT_SINK>
export type AccessRecord = z.infer<typeof ACCESS_RECORD>
