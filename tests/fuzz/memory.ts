// Memory that is still held after a collection, over time. The inputs that the fuzzer itself keeps are not counted.

export type Sample = { readonly at_s: number; readonly bytes: number }

export type Growth = { readonly bytes_per_minute: number; readonly bytes: number; readonly from_bytes: number }

/** Code is compiled, tables are filled and caches warm up in the beginning. */
const WARM_UP = 0.3
/** Less is noise of a collector that frees a page later than it could. */
export const GROWTH_LIMIT_BYTES = 8 << 20

export function growth(samples: readonly Sample[]): Growth | undefined {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last) return undefined
  const warm = samples.filter(({ at_s }) => at_s >= first.at_s + WARM_UP * (last.at_s - first.at_s))
  const start = warm[0]
  if (!start || warm.length < 4) return undefined
  const meanTime = mean(warm.map(({ at_s }) => at_s))
  const meanBytes = mean(warm.map(({ bytes }) => bytes))
  const spread = warm.reduce((sum, { at_s }) => sum + (at_s - meanTime) ** 2, 0)
  const slope = warm.reduce((sum, { at_s, bytes }) => sum + (at_s - meanTime) * (bytes - meanBytes), 0) / spread
  return { bytes_per_minute: slope * 60, bytes: slope * (last.at_s - start.at_s), from_bytes: start.bytes }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Needs `--expose-gc`. */
export function heldBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
