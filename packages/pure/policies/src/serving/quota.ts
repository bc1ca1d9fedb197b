// What a tenant may have: requests and tokens a minute, requests at once, tokens of context held at once. Taken all or nothing before
// the request is sent, with the most it may use; what it did not use is given back when it ends.

import { type Bucket, type BucketLimit, fill, fullBucket, wait_s } from './token-bucket.ts'

export type Quota = {
  readonly requestsPerMinute: number
  readonly tokensPerMinute: number
  readonly concurrency: number
  readonly kvTokens: number
}

export type QuotaUse = { readonly requests: Bucket; readonly tokens: Bucket; running: number; kvTokens: number }

export type QuotaVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly limit: 'requests' | 'tokens' | 'concurrency' | 'kv'; readonly retryAfter_s: number }

const ADMITTED: QuotaVerdict = { ok: true }
/** When a running request ends is not known; SDKs wait at least half a second anyway. */
const SOON_S = 1

const perMinute = (amount: number): BucketLimit => ({ perSecond: amount / 60, size: amount })

export const unusedQuota = (quota: Quota, now: number): QuotaUse => ({
  requests: fullBucket(perMinute(quota.requestsPerMinute), now),
  tokens: fullBucket(perMinute(quota.tokensPerMinute), now),
  running: 0,
  kvTokens: 0,
})

export function takeQuota(use: QuotaUse, quota: Quota, { tokens, now }: { readonly tokens: number; readonly now: number }): QuotaVerdict {
  const requestLimit = perMinute(quota.requestsPerMinute)
  const tokenLimit = perMinute(quota.tokensPerMinute)
  fill(use.requests, requestLimit, now)
  fill(use.tokens, tokenLimit, now)
  const forRequests = wait_s(use.requests, requestLimit, 1)
  if (forRequests > 0) return { ok: false, limit: 'requests', retryAfter_s: forRequests }
  const forTokens = wait_s(use.tokens, tokenLimit, tokens)
  if (forTokens > 0) return { ok: false, limit: 'tokens', retryAfter_s: forTokens }
  if (use.running >= quota.concurrency) return { ok: false, limit: 'concurrency', retryAfter_s: SOON_S }
  if (use.running > 0 && use.kvTokens + tokens > quota.kvTokens) return { ok: false, limit: 'kv', retryAfter_s: SOON_S }
  use.requests.level -= 1
  use.tokens.level -= tokens
  use.running += 1
  use.kvTokens += tokens
  return ADMITTED
}

/** At the end of a request: `taken` is what `takeQuota` was asked for, `used` what the engine counted. */
export function settleQuota(use: QuotaUse, { taken, used }: { readonly taken: number; readonly used: number }): void {
  use.tokens.level += taken - used
  use.running -= 1
  use.kvTokens -= taken
}
