// When parts of one kind fail, at a cost that does not grow with their number.
//
// The parts that have not failed yet have one age, so their failures together are one process: the next comes when the cumulative
// hazard of all has grown by an exponential draw, and a part is picked at random (superposition). A part that was replaced ages from
// its replacement; its next failure is an event of its own. There are as many of those as failures, whatever the size of the fleet. A
// pick of the common process that falls on a replaced part is void (thinning), which keeps the whole exact. With exponential lives
// age does not matter and nothing needs to be remembered.

import type { RandomStream } from '../kernel/random-stream.ts'
import { gamma } from './gamma.ts'
import { ticks } from './ledger.ts'

export type StrikeParts = { readonly units: number; readonly mtbf_s: number; readonly shape?: number; readonly age_s?: number }

export class Strikes {
  /** The part that the strike drawn last hits. */
  unit = 0

  private readonly random: RandomStream
  private readonly units: number
  private readonly shape: number
  private readonly scale: number
  private readonly age: number
  private readonly replaced = new Set<number>()

  constructor({ units, mtbf_s, shape = 1, age_s = 0 }: StrikeParts, random: RandomStream) {
    this.random = random
    this.units = units
    this.shape = shape
    this.scale = ticks(mtbf_s) / gamma(1 + 1 / shape)
    this.age = ticks(age_s)
  }

  /** Time of the next strike of the common process after `now`. */
  next(now: number): number {
    const drawn = this.random.exponential() / this.units
    this.unit = this.random.below(this.units)
    if (this.shape === 1) return now + Math.ceil(drawn * this.scale)
    const hazard = ((this.age + now) / this.scale) ** this.shape + drawn
    return Math.max(now + 1, Math.ceil(this.scale * hazard ** (1 / this.shape)) - this.age)
  }

  /** Whether a pick of the common process hits a part that is no longer the original one. */
  isVoid(unit: number): boolean {
    return this.replaced.has(unit)
  }

  /** A part is replaced by a new one: when that one fails, or Infinity where the common process covers it. */
  renew(unit: number, now: number): number {
    if (this.shape === 1) return Infinity
    this.replaced.add(unit)
    return now + Math.ceil(this.scale * this.random.exponential() ** (1 / this.shape))
  }
}
