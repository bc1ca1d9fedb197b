// How far a model's confidence is from how often it is right.

export type Judged = { readonly confidence: number; readonly isRight: boolean }

/** As in Guo et al. 2017, where the name comes from. */
const BINS = 15

/** Mean distance between confidence and share of right answers over equally wide bins, each weighed by its items; NaN without any. */
export function expectedCalibrationError(judged: readonly Judged[], bins = BINS): number {
  if (judged.length === 0) return Number.NaN
  const sums = Array.from({ length: bins }, () => ({ confidence: 0, right: 0 }))
  for (const { confidence, isRight } of judged) {
    // A confidence at an edge belongs to the bin below it.
    const bin = sums[Math.min(bins - 1, Math.max(0, Math.ceil(confidence * bins) - 1))]
    if (!bin) continue
    bin.confidence += confidence
    bin.right += Number(isRight)
  }
  return sums.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0) / judged.length
}
