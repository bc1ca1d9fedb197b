// How long requests are when only their mean is known: log-normal, as served traffic is. The simulator draws lengths from it, and
// exporters take from it how long a request an engine must admit.

/** Standard deviation over mean. Prompts and answers vary about as much as their mean in Azure's conversations of 2023. */
export const LENGTH_VARIATION = 0.9

/** Standard deviations that one value in ten thousand of a normal distribution exceeds. */
const RARE = 3.72
/** The same of one in two, in ten and in a hundred. */
const DEVIATIONS = { p50: 0, p90: 1.2816, p99: 2.3263 } as const

const lengthBeyond = (mean: number, deviations: number): number => {
  const variance = Math.log(1 + LENGTH_VARIATION ** 2)
  return mean * Math.exp(deviations * Math.sqrt(variance) - variance / 2)
}

/** Tokens that one request in ten thousand exceeds. */
export const rareLength = (mean: number): number => Math.ceil(lengthBeyond(mean, RARE))

export const lengthAt = (mean: number, percentile: 'mean' | keyof typeof DEVIATIONS): number =>
  percentile === 'mean' ? mean : lengthBeyond(mean, DEVIATIONS[percentile])
