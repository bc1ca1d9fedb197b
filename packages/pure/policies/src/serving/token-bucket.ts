// A token bucket: fills at a steady rate to its size, is taken from at once. The level may go below zero, because what a request really
// used is known only afterwards; the debt is then waited off.

export type Bucket = { level: number; at: number }

export type BucketLimit = {
  readonly perSecond: number
  readonly size: number
  /** When a limit of zero may have changed; where absent, only an operator can change it. */
  readonly changes_s?: number
}

const UNTIL_CHANGED_S = 60

export const fullBucket = (limit: BucketLimit, now: number): Bucket => ({ level: limit.size, at: now })

export function fillBucket(bucket: Bucket, limit: BucketLimit, now: number): void {
  // A clock that steps back fills nothing.
  bucket.level = Math.min(limit.size, bucket.level + Math.max(0, now - bucket.at) * limit.perSecond)
  bucket.at = Math.max(bucket.at, now)
}

/**
 * Seconds until `amount` may be taken from a bucket filled to now; 0 when it may be at once. An amount larger than the bucket is let
 * through when it is full: to refuse it for ever would say "try again later" to what never succeeds. A limit of nothing is meant so, until
 * it is changed.
 */
export function bucketWait_s(bucket: Bucket, limit: BucketLimit, amount: number): number {
  if (limit.size <= 0) return amount > 0 ? (limit.changes_s ?? UNTIL_CHANGED_S) : 0
  const lacking = Math.min(amount, limit.size) - bucket.level
  return lacking <= 0 ? 0 : lacking / limit.perSecond
}
