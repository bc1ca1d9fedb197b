// What a tenant may have: requests and tokens a minute, requests at once, tokens of context held at once. Taken all or nothing before
// the request is sent, with the most it may use; what it did not use is given back when it ends.

import { type Bucket, type BucketLimit, fillBucket, fullBucket, bucketWait_s } from './token-bucket.ts'

export type Quota = {
  readonly requestsPerMinute: number
  readonly tokensPerMinute: number
  readonly concurrency: number
  readonly kvTokens: number
  /** These are one gateway's part of a tenant's limits. `none`: nothing for now, though the limits are not nothing. */
  readonly divided?: 'part' | 'none'
}

export type QuotaUse = {
  readonly requests: Bucket
  readonly tokens: Bucket
  running: number
  kvTokens: number
  /** Totals of what came, refused or not. */
  readonly offered: { requests: number; tokens: number }
}

export type QuotaVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly limit: 'requests' | 'tokens' | 'concurrency' | 'kv'; readonly retryAfter_s: number }

const ADMITTED: QuotaVerdict = { ok: true }
/** When a running request ends is not known; SDKs wait at least half a second anyway. */
const SOON_S = 1

const perMinute = (amount: number, divided?: Quota['divided']): BucketLimit => ({
  perSecond: amount / 60,
  size: amount,
  // Grants are renewed every second.
  ...(divided === 'none' && { changes_s: SOON_S }),
})

export const unusedQuota = (quota: Quota, now: number): QuotaUse => ({
  requests: fullBucket(perMinute(quota.requestsPerMinute), now),
  tokens: fullBucket(perMinute(quota.tokensPerMinute), now),
  running: 0,
  kvTokens: 0,
  offered: { requests: 0, tokens: 0 },
})

export function fillQuota(use: QuotaUse, quota: Quota, now: number): void {
  fillBucket(use.requests, perMinute(quota.requestsPerMinute), now)
  fillBucket(use.tokens, perMinute(quota.tokensPerMinute), now)
}

type TokenRequest = { readonly tokens: number; readonly now: number }

/** The part that is known from the head of a request, before its body is read. */
export function takeRequest(use: QuotaUse, quota: Quota, now: number): QuotaVerdict {
  const limit = perMinute(quota.requestsPerMinute, quota.divided)
  use.offered.requests += 1
  fillBucket(use.requests, limit, now)
  const forRequests = bucketWait_s(use.requests, limit, 1)
  if (forRequests > 0) return { ok: false, limit: 'requests', retryAfter_s: forRequests }
  if (use.running >= quota.concurrency) return { ok: false, limit: 'concurrency', retryAfter_s: SOON_S }
  use.requests.level -= 1
  use.running += 1
  return ADMITTED
}

export type RateState = { readonly limit: number; readonly remaining: number; readonly full_s: number }

/** What a client sees of a limit per minute: `full_s` until all of it may be used again. */
export function rateState(bucket: Bucket, amount: number, divided?: Quota['divided']): RateState {
  const limit = perMinute(amount, divided)
  const level = Math.min(bucket.level, limit.size)
  const full_s = limit.size > 0 ? (limit.size - level) / limit.perSecond : bucketWait_s(bucket, limit, 1)
  return { limit: Math.ceil(limit.size), remaining: Math.max(0, Math.floor(level)), full_s }
}

/** Charges the tokens known from the body of a request that `takeRequest` admitted. A rejected one does not count as a request. */
export function takeTokens(use: QuotaUse, quota: Quota, { tokens, now }: TokenRequest): QuotaVerdict {
  use.offered.tokens += tokens
  const verdict = tokenVerdict(use, quota, { tokens, now })
  if (verdict.ok) {
    use.tokens.level -= tokens
    use.kvTokens += tokens
  } else use.requests.level += 1
  return verdict
}

function tokenVerdict(use: QuotaUse, quota: Quota, { tokens, now }: TokenRequest): QuotaVerdict {
  const limit = perMinute(quota.tokensPerMinute, quota.divided)
  fillBucket(use.tokens, limit, now)
  const forTokens = bucketWait_s(use.tokens, limit, tokens)
  if (forTokens > 0) return { ok: false, limit: 'tokens', retryAfter_s: forTokens }
  // What runs alone may be larger than the limit: it would otherwise never run.
  if (use.running > 1 && use.kvTokens + tokens > quota.kvTokens) return { ok: false, limit: 'kv', retryAfter_s: SOON_S }
  return ADMITTED
}

/** Both parts, all or nothing. */
export function takeQuota(use: QuotaUse, quota: Quota, asking: TokenRequest): QuotaVerdict {
  const request = takeRequest(use, quota, asking.now)
  if (!request.ok) return request
  const tokens = takeTokens(use, quota, asking)
  if (!tokens.ok) endRequest(use)
  return tokens
}

/** At the end of a request that `takeRequest` admitted. */
export function endRequest(use: QuotaUse): void {
  use.running -= 1
}

/** At the end of a request: `taken` is what `takeTokens` was asked for, `used` what the engine counted. */
export function settleTokens(use: QuotaUse, { taken, used }: { readonly taken: number; readonly used: number }): void {
  use.tokens.level += taken - used
  use.kvTokens -= taken
}

/** At the end of a request that `takeQuota` admitted. */
export function settleQuota(use: QuotaUse, tokens: { readonly taken: number; readonly used: number }): void {
  settleTokens(use, tokens)
  endRequest(use)
}
