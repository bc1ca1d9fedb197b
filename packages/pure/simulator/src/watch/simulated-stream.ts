// A stream of hours whose truth is known: seasons, a part that wanders, the noise of rows, bursts, and a shift where one is planted.

import { dayOfWeek, hourOfDay, type StreamHour } from '@ironlaw/policies/watch'
import type { RandomStream } from '../kernel/random-stream.ts'

export type StreamTruth = {
  readonly hours: readonly number[]
  readonly days: readonly number[]
  readonly wander: number
  readonly kept: number
  /** Of one row. */
  readonly variance: number
  /** Mean rows in each hour of the day. */
  readonly rows: readonly number[]
  /** Deviations by which an hour's rows differ from their mean, as a share. */
  readonly uneven: number
  /** Of some hours, in which something else is the matter: how often they begin in an hour, how large (standard deviation), and how long at the most. */
  readonly bursts?: { readonly chance: number; readonly size: number; readonly most: number }
}

export class SimulatedStream {
  readonly #truth: StreamTruth
  readonly #random: RandomStream
  #wandering: number
  #burst = { left: 0, size: 0 }

  constructor(truth: StreamTruth, random: RandomStream) {
    this.#truth = truth
    this.#random = random
    this.#wandering = Math.sqrt(truth.wander) * random.normal()
  }

  /** Hours have to be asked for one after another. */
  at(hour: number, shift = 0): StreamHour {
    const { hours, days, wander, kept, variance, rows: meanRows, uneven } = this.#truth
    const random = this.#random
    this.#wandering = kept * this.#wandering + Math.sqrt(wander * (1 - kept * kept)) * random.normal()
    const rows = Math.max(1, Math.round((meanRows[hourOfDay(hour)] ?? 1) * Math.exp(uneven * random.normal() - (uneven * uneven) / 2)))
    const season = (hours[hourOfDay(hour)] ?? 0) + (days[dayOfWeek(hour)] ?? 0)
    const noise = Math.sqrt(variance / rows) * random.normal()
    return { hour, rows, mean: season + this.#wandering + this.#burstNow() + shift + noise }
  }

  #burstNow(): number {
    const { bursts } = this.#truth
    if (!bursts) return 0
    if (this.#burst.left > 0) this.#burst.left -= 1
    else if (this.#random.uniform() < bursts.chance)
      this.#burst = { left: this.#random.below(bursts.most), size: bursts.size * this.#random.normal() }
    else return 0
    return this.#burst.size
  }
}
