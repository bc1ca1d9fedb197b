// What a plan draws from its seed.

import { RandomStream } from '../../packages/pure/simulator/src/kernel/random-stream.ts'

export class Draw {
  readonly #stream: RandomStream

  constructor(seed: number, purpose: number) {
    this.#stream = new RandomStream([seed, purpose])
  }

  chance(share: number): boolean {
    return this.#stream.uniform() < share
  }

  between(low: number, high: number): number {
    return low + this.#stream.below(high - low + 1)
  }

  span(low: number, high: number): number {
    return Math.round((low + this.#stream.uniform() * (high - low)) * 10) / 10
  }

  of<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.#stream.below(choices.length)] ?? choices[0]
  }

  times<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make)
  }
}
