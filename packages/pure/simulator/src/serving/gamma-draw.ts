// A gamma variate of mean 1: G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables, ACM TOMS 26(3), 2000. Below shape 1
// by their boost with a power of a uniform.

import type { RandomStream } from '../kernel/random-stream.ts'

export function normalDraw(random: RandomStream): number {
  return Math.sqrt(2 * random.exponential()) * Math.cos(2 * Math.PI * random.uniform())
}

export function gammaDraw(random: RandomStream, shape: number): number {
  if (shape < 1) return (gammaDraw(random, shape + 1) * (shape + 1) * (1 - random.uniform()) ** (1 / shape)) / shape
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normalDraw(random)
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return (d * v) / shape
  }
}
