// Latencies counted in buckets, for percentiles: each bound is exp(1/8) times the one before, from 0.1 ms to 90 s, so that a percentile is
// never off by more than 13 %, and interpolated inside its bucket usually by a few hundredths.

const PER_E = 8
/** The first bucket ends at exp(-9.25) s. */
const BUCKET_OFFSET = 74
export const LATENCY_BUCKETS = 111

/** Counts by the number of the bucket, those that are not zero. */
export type LatencyCounts = Readonly<Record<string, number>>

/** Of a latency whose natural logarithm of seconds this is. */
export const latencyBucket = (log_s: number): number => Math.max(0, Math.min(LATENCY_BUCKETS - 1, Math.ceil(PER_E * log_s) + BUCKET_OFFSET))

/** Seconds; undefined where nothing was counted. */
export function latencyPercentile(counts: LatencyCounts, share: number): number | undefined {
  const rows = Object.entries(counts)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .toSorted(([one], [other]) => one - other)
  let left = share * rows.reduce((sum, [, count]) => sum + count, 0)
  for (const [bucket, count] of rows) {
    if (count > 0 && left <= count) return Math.exp((bucket - BUCKET_OFFSET - 1 + left / count) / PER_E)
    left -= count
  }
  return undefined
}
