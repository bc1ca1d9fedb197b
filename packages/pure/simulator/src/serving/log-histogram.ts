// Values over twelve decades in bins half a percent wide: a day of requests in 44 kB, any percentile within a quarter of a percent.

const RATIO = 1.005
const LEAST = 1e-6
const MOST = 1e6
const PER_LOG = 1 / Math.log(RATIO)
const BINS = Math.ceil(Math.log(MOST / LEAST) * PER_LOG) + 1

export class LogHistogram {
  count = 0
  sum = 0
  most = 0
  private readonly bins = new Float64Array(BINS)

  add(value: number): void {
    this.count += 1
    this.sum += value
    if (value > this.most) this.most = value
    const bin = value <= LEAST ? 0 : Math.min(BINS - 1, 1 + Math.floor(Math.log(value / LEAST) * PER_LOG))
    this.bins[bin]! += 1
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.sum / this.count
  }

  /** The middle of the bin that holds this share of the values. */
  quantile(share: number): number {
    let left = share * this.count
    for (let bin = 0; bin < BINS; bin += 1) {
      left -= this.bins[bin]!
      if (left <= 0 && this.bins[bin]! > 0) return bin === 0 ? 0 : Math.min(this.most, LEAST * RATIO ** (bin - 0.5))
    }
    return this.most
  }

  /** Values in equal parts of the logarithm between two quantiles, for a picture. */
  parts(count: number): { readonly from: number; readonly to: number; readonly values: number }[] {
    const low = Math.max(LEAST, this.quantile(0.001))
    const high = Math.max(low * 1.01, this.quantile(0.999))
    const width = Math.log(high / low) / count
    const values = new Float64Array(count)
    for (let bin = 0; bin < BINS; bin += 1) {
      const middle = LEAST * RATIO ** (bin - 0.5)
      const part = Math.floor(Math.log(middle / low) / width)
      values[Math.max(0, Math.min(count - 1, part))]! += this.bins[bin]!
    }
    return Array.from(values, (each, part) => ({
      from: low * Math.exp(part * width),
      to: low * Math.exp((part + 1) * width),
      values: each,
    }))
  }
}
