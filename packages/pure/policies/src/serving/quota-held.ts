// A gateway's side of divided quotas: which share of a tenant's limits it may use now, and what it reports as demand.

import { MOST_DEMAND, WHOLE_SHARE } from '@ironlaw/contracts'
import type { QuotaGrant } from '@ironlaw/contracts/gateway-quota'
import { fillQuota, type Quota, type QuotaUse } from './quota.ts'
import { shareIn } from './quota-shares.ts'

/** `until` is of the gateway's own clock, which only goes forward. */
export type HeldGrant = QuotaGrant & {
  readonly until: number
  /** Nothing was granted to this process yet: others hold everything, and have to confirm smaller grants first. */
  readonly isAwaited: boolean
}

/** Of a gateway that follows a control plane and has been granted nothing by it yet. */
const FIRST_SHARE = WHOLE_SHARE / 16

export type GrantResponse = { readonly grant: QuotaGrant; readonly requested_at: number; readonly lasts_s: number }

/** It lasts from when the gateway requested it, not from when the answer came: the control plane counts from a moment in between. */
export const heldGrant = (held: HeldGrant | undefined, { grant, requested_at, lasts_s }: GrantResponse): HeldGrant =>
  held && grant.number < held.number
    ? held
    : { ...grant, until: requested_at + lasts_s, isAwaited: (held?.isAwaited ?? true) && grant.share === 0 }

export function heldShare(held: HeldGrant | undefined, tenant: string, now: number): number {
  if (!held) return FIRST_SHARE
  const granted = shareIn(held, tenant)
  // To admit nothing until the others have confirmed would make an outage of every start.
  const share = granted === 0 && held.isAwaited ? FIRST_SHARE : granted
  return now < held.until ? share : Math.min(share, held.fallback)
}

/**
 * One at a time is always possible where there is any share: with more gateways than a limit has requests, none would be admitted
 * otherwise. So a limit may be exceeded by one request for each gateway.
 */
export function sharedQuota(quota: Quota, share: number): Quota {
  if (share === WHOLE_SHARE) return quota
  const part = share / WHOLE_SHARE
  return {
    requestsPerMinute: quota.requestsPerMinute * part,
    tokensPerMinute: quota.tokensPerMinute * part,
    concurrency: share > 0 && quota.concurrency > 0 ? Math.max(1, Math.floor(quota.concurrency * part)) : 0,
    kvTokens: quota.kvTokens * part,
    divided: share === 0 && quota.requestsPerMinute > 0 && quota.tokensPerMinute > 0 ? 'none' : 'part',
  }
}

/** Before another share is used: buckets fill up to now at the rate of the share before, not at that of the new one. */
export const settleShare = (use: QuotaUse, before: Quota, now: number): void => fillQuota(use, before, now)

/** What was offered until a moment, and how large a part of the limits that was lately. */
export type DemandMark = { readonly at: number; readonly requests: number; readonly tokens: number; readonly rate: number }

/** Requests of a slow tenant come one at a time: over one second each would look like a rate of 60 a minute. */
const SMOOTHED_OVER_S = 10

export const firstDemand = (now: number): DemandMark => ({ at: now, requests: 0, tokens: 0, rate: 0 })

export function demandAfter(
  before: DemandMark,
  { use, quota, now }: { readonly use: QuotaUse; readonly quota: Quota; readonly now: number },
): DemandMark {
  const elapsed_s = now - before.at
  if (elapsed_s <= 0) return before
  const { requests, tokens } = use.offered
  const rate = Math.max(
    ratio(((requests - before.requests) * 60) / elapsed_s, quota.requestsPerMinute),
    ratio(((tokens - before.tokens) * 60) / elapsed_s, quota.tokensPerMinute),
  )
  return { at: now, requests, tokens, rate: before.rate + (1 - Math.exp(-elapsed_s / SMOOTHED_OVER_S)) * (rate - before.rate) }
}

/** In millionths of the limits, in whole hundredths of them so that noise is no change; less than one is none. */
export function demandShare({ rate }: DemandMark, use: QuotaUse, quota: Quota): number {
  const hundredths = Math.floor(100 * Math.max(rate, ratio(use.running, quota.concurrency), ratio(use.kvTokens, quota.kvTokens)))
  return Math.min(MOST_DEMAND, hundredths * (WHOLE_SHARE / 100))
}

const ratio = (amount: number, limit: number): number => (limit > 0 ? amount / limit : 0)
