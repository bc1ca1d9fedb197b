// The few fastest of many, without keeping or sorting the many.

import type { Strategy } from '../strategy.ts'

export type Candidate = { readonly strategy: Strategy; readonly step_s: number; readonly memory_bytes: number }

/** With its place in the walk: of candidates that are as fast, the earlier one comes first. */
export type RankedCandidate = Candidate & { readonly at: number }

export class Ranking {
  #kept: RankedCandidate[] = []
  #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** In the order of the walk. */
  offer(candidate: RankedCandidate): void {
    const last = this.#kept.at(-1)
    if (this.#kept.length >= this.#most && last && candidate.step_s >= last.step_s) return
    const at = this.#kept.findIndex((kept) => kept.step_s > candidate.step_s)
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, candidate)
    if (this.#kept.length > this.#most) this.#kept.pop()
  }

  candidates(): readonly RankedCandidate[] {
    return this.#kept
  }
}
