// Student's t distribution for whole degrees of freedom: how far the next member of a population may lie when only a few are known.

/** Share below t, in closed form (Abramowitz and Stegun 26.7.3 and 26.7.4). */
export function studentShareBelow(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom))
  const cosine = Math.cos(angle)
  const odd = freedom % 2 === 1
  let term = odd ? cosine : 1
  let sum = freedom === 1 ? 0 : term
  for (let k = odd ? 3 : 2; k <= freedom - 2; k += 2) {
    term *= ((k - 1) / k) * cosine * cosine
    sum += term
  }
  const within = odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
  return (1 + within) / 2
}

/** The t below which a given share lies. */
export function studentQuantile(share: number, freedom: number): number {
  if (share < 0.5) return -studentQuantile(1 - share, freedom)
  let [low, high] = [0, 1]
  while (studentShareBelow(high, freedom) < share) high *= 2
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (studentShareBelow(middle, freedom) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}
