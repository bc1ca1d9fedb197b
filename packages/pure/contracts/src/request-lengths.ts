// How long requests are when only their mean is known: log-normal, as served traffic is. The simulator draws lengths from it, and
// exporters take from it how long a request an engine must admit.

/** Standard deviation over mean. Prompts and answers vary about as much as their mean in Azure's conversations of 2023. */
export const LENGTH_VARIATION = 0.9

/** Standard deviations that one value in ten thousand of a normal distribution exceeds. */
const RARE = 3.72

/** Tokens that one request in ten thousand exceeds. */
export function rareLength(mean: number): number {
  const variance = Math.log(1 + LENGTH_VARIATION ** 2)
  return Math.ceil(mean * Math.exp(RARE * Math.sqrt(variance) - variance / 2))
}
