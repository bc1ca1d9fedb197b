// How fast a figure grows, with an interval. Samples that are near in time are alike, so a line is laid through the means of a few bins instead of
// through the samples: their errors are nearly independent, and the interval is honest.

export type Reading = { readonly at_s: number; readonly value: number }

/** Per hour. */
export type Slope = { readonly perHour: number; readonly low: number; readonly high: number }

const BINS = 10
/** Student's t for 95 % with 8 degrees of freedom, those of a line through ten points. */
const T = 2.306

export function slopeOf(readings: readonly Reading[]): Slope | undefined {
  if (readings.length < 2 * BINS) return undefined
  const bins = Array.from({ length: BINS }, (_, bin) => {
    const part = readings.slice(Math.floor((bin * readings.length) / BINS), Math.floor(((bin + 1) * readings.length) / BINS))
    return { x: mean(part.map(({ at_s }) => at_s / 3600)), y: mean(part.map(({ value }) => value)) }
  })
  const [x, y] = [mean(bins.map((bin) => bin.x)), mean(bins.map((bin) => bin.y))]
  const spread = bins.reduce((sum, bin) => sum + (bin.x - x) ** 2, 0)
  const perHour = bins.reduce((sum, bin) => sum + (bin.x - x) * (bin.y - y), 0) / spread
  const residual = bins.reduce((sum, bin) => sum + (bin.y - y - perHour * (bin.x - x)) ** 2, 0) / (BINS - 2)
  const half = T * Math.sqrt(residual / spread)
  return { perHour, low: perHour - half, high: perHour + half }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
