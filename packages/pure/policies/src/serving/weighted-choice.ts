// One of several by weight: a canary at 1 of 100. The same draw gives the same side, so a hash of the session keeps a user on one.

/** `draw` is uniform in [0, 1). -1 when nothing has weight. */
export function weightedChoice(weights: readonly number[], draw: number): number {
  let total = 0
  for (const weight of weights) total += weight
  let left = draw * total
  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index] ?? 0
    if (weight > 0 && left < weight) return index
    left -= weight
  }
  return total > 0 ? weights.findLastIndex((weight) => weight > 0) : -1
}
