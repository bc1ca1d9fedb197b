import { expect, test } from 'vitest'
import { LATENCY_BUCKETS, latencyBucket, latencyPercentile } from './latency-buckets.ts'

const bucketCounts = (values: readonly number[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) {
    const bucket = latencyBucket(Math.log(value))
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  return counts
}

test('percentiles of latencies over five decades are found within a few hundredths', () => {
  for (const scale of [0.0005, 0.02, 0.3, 8]) {
    const values = Array.from({ length: 4000 }, (_, at) => scale * Math.exp(1.2 * Math.sin(at) + 0.4 * Math.cos(3.7 * at))).toSorted(
      (a, b) => a - b,
    )
    for (const share of [0.5, 0.9, 0.99]) {
      const exact = values[Math.floor(share * values.length)] ?? 0
      expect(Math.abs((latencyPercentile(bucketCounts(values), share) ?? 0) / exact - 1)).toBeLessThan(0.06)
    }
  }
})

test('what is shorter or longer than all bounds is in the first or last bucket; nothing has no percentile', () => {
  expect([latencyBucket(Math.log(1e-9)), latencyBucket(Math.log(1e6))]).toEqual([0, LATENCY_BUCKETS - 1])
  expect(latencyPercentile({}, 0.5)).toBeUndefined()
})
