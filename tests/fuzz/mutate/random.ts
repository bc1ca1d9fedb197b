// Draws from a seed, in the forms that mutators need.

import { type Draw, seeded } from '../../../packages/effects/gateway/test/malformed.ts'

export class Random {
  readonly #draw: Draw

  constructor(seed: number) {
    this.#draw = seeded(seed)
  }

  /** From 0 up to and without `end`. */
  below(end: number): number {
    return Math.floor(this.#draw() * end)
  }

  chance(share: number): boolean {
    return this.#draw() < share
  }

  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    const chosen = from[this.below(from.length)]
    if (chosen === undefined && from.length === 0) throw new Error('nothing to pick from')
    return chosen as T
  }

  /** A length up to `most`, short ones as likely as long ones. */
  length(most: number): number {
    return Math.max(1, Math.min(most, Math.round(2 ** (this.#draw() * Math.log2(Math.max(2, most))))))
  }
}
