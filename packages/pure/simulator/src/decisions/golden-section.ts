const RATIO = (Math.sqrt(5) - 1) / 2

/** The lowest point of a function with one valley between two positive numbers, on a logarithmic scale. */
export function lowestPoint(
  of: (at: number) => number,
  within: { readonly from: number; readonly to: number; readonly steps: number },
): number {
  let low = Math.log(within.from)
  let high = Math.log(within.to)
  let left = high - RATIO * (high - low)
  let right = low + RATIO * (high - low)
  let atLeft = of(Math.exp(left))
  let atRight = of(Math.exp(right))
  for (let step = 2; step < within.steps; step += 1) {
    if (atLeft <= atRight) {
      high = right
      right = left
      atRight = atLeft
      left = high - RATIO * (high - low)
      atLeft = of(Math.exp(left))
    } else {
      low = left
      left = right
      atLeft = atRight
      right = low + RATIO * (high - low)
      atRight = of(Math.exp(right))
    }
  }
  return Math.exp(atLeft <= atRight ? left : right)
}
