// How a control plane divides tenants' limits among gateways: what a gateway reports about once a second, and the grant that it gets.

import * as z from 'zod'
import { MOST_DEMAND, MOST_NAMED_TENANTS, WHOLE_SHARE } from './quota-share.ts'

const name = z.string().min(1).max(200)

const share = z.int().min(0).max(WHOLE_SHARE)

export const QUOTA_REPORT = z
  .object({
    boot: name.describe('Identifies this process of the gateway'),
    started_at: z.number().describe('When the process started, by the clock of its machine'),
    leaving: z.boolean().default(false).describe('It no longer admits requests'),
    applied: z.int().min(0).describe('Number of the grant that it uses; 0 before the first'),
    demand: z
      .record(name, z.int().min(0).max(MOST_DEMAND))
      .refine((demand) => Object.keys(demand).length <= MOST_NAMED_TENANTS, `at most ${MOST_NAMED_TENANTS} tenants`)
      .describe("What was requested lately, in millionths of the tenant's limits"),
  })
  .meta({ id: 'QuotaReport' })

export const QUOTA_GRANT = z
  .object({
    number: z.int().min(1).describe('Counts the grants of one gateway'),
    share: share.describe("Of every tenant's limits, in millionths, where the tenant is not named"),
    tenants: z.record(name, share).describe('Shares of tenants by name'),
    fallback: share.describe('Upper limit of a share after the grant has expired'),
    lasts_s: z.number().positive().describe('Validity of the grant, counted from when the report was sent'),
  })
  .meta({ id: 'QuotaGrant' })

export type QuotaReport = z.infer<typeof QUOTA_REPORT>
export type QuotaResponse = z.infer<typeof QUOTA_GRANT>
export type QuotaGrant = Omit<QuotaResponse, 'lasts_s'>

export type DatedGrant = QuotaGrant & { readonly at: number }

/** What a control plane remembers of one gateway. */
export type GatewayQuota = Pick<QuotaReport, 'boot' | 'started_at' | 'demand'> & {
  readonly seen_at: number
  /** All that the gateway may be using, oldest first. */
  readonly grants: readonly DatedGrant[]
}

/** By name of the gateway. */
export type QuotaLedger = Readonly<Record<string, GatewayQuota>>
