// The few fastest of many, without keeping or sorting the many.

import type { Strategy } from '../strategy.ts'

export type Candidate = {
  readonly strategy: Strategy
  readonly step_s: number
  /** Likely need of the fullest device, and its standard deviation. */
  readonly memory_bytes: number
  readonly spread_bytes: number
}

/** With its place in the walk: of candidates that are as fast, the earlier one comes first. */
export type RankedCandidate = Candidate & { readonly at: number }

/** Layouts of one kind divide the work in the same ways; they differ in degrees, microbatch and what is kept. */
const familyOf = ({ tensor, context, pipeline, expert, shards }: Strategy): number =>
  Number(tensor > 1) + 2 * Number(context > 1) + 4 * Number(pipeline > 1) + 8 * Number(expert > 1) + 16 * Number(shards === 'weights')

/** The fastest of each kind, in the order given. */
export function oneOfEachKind<T extends Candidate>(candidates: readonly T[]): readonly T[] {
  const seen = new Set<number>()
  return candidates.filter(({ strategy }) => {
    const family = familyOf(strategy)
    if (seen.has(family)) return false
    seen.add(family)
    return true
  })
}

/** `alike`: the fastest whatever their kind; otherwise one of each kind. */
export type RankingScope = 'alike' | 'kinds'

export class Ranking {
  #kept: RankedCandidate[] = []
  #most: number
  #scope: RankingScope

  constructor(most: number, scope: RankingScope = 'alike') {
    this.#most = most
    this.#scope = scope
  }

  /** In the order of the walk. */
  offer(candidate: RankedCandidate): void {
    const last = this.#kept.at(-1)
    if (this.#kept.length >= this.#most && last && candidate.step_s >= last.step_s) return
    if (this.#scope === 'kinds' && !this.#beatsItsKind(candidate)) return
    const at = this.#kept.findIndex((kept) => kept.step_s > candidate.step_s)
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, candidate)
    if (this.#kept.length > this.#most) this.#kept.pop()
  }

  /** A slower one of the same kind makes way. */
  #beatsItsKind({ strategy, step_s }: RankedCandidate): boolean {
    const family = familyOf(strategy)
    const at = this.#kept.findIndex((kept) => familyOf(kept.strategy) === family)
    const same = this.#kept[at]
    if (!same) return true
    if (same.step_s <= step_s) return false
    this.#kept.splice(at, 1)
    return true
  }

  candidates(): readonly RankedCandidate[] {
    return this.#kept
  }
}
