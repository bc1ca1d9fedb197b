// The time of a history: what is due when, and what was seen. It passes only when a caller advances it.

import { RandomStream } from '../../packages/pure/simulator/src/kernel/random-stream.ts'

const START_AT = 1000

type TimedAct = { readonly at: number; readonly act: () => void }

export class Timeline {
  now = START_AT
  readonly random: RandomStream
  readonly trace: string[] = []
  readonly isTraced: boolean
  #timed: TimedAct[] = []

  constructor(seed: number, isTraced: boolean) {
    this.random = new RandomStream([seed, 2])
    this.isTraced = isTraced
  }

  get passed_s(): number {
    return this.now - START_AT
  }

  after(seconds: number, act: () => void): void {
    this.#timed.push({ at: this.now + seconds, act })
  }

  between(low: number, high: number): number {
    return low + this.random.uniform() * (high - low)
  }

  addToTrace(text: string): void {
    if (this.isTraced) this.trace.push(`${this.passed_s.toFixed(2).padStart(7)}  ${text}`)
  }

  get nextAt(): number {
    return Math.min(...this.#timed.map(({ at }) => at))
  }

  /** Lets the first thing that is due happen. */
  runNext(): boolean {
    const due = this.#timed.reduce<TimedAct | undefined>(
      (first, each) => (each.at <= this.now && !(first && first.at <= each.at) ? each : first),
      undefined,
    )
    if (!due) return false
    this.#timed = this.#timed.filter((other) => other !== due)
    due.act()
    return true
  }
}
