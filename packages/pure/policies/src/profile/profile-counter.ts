// A profile in the making: counts rise, and nothing of what was counted is kept.

import { MOST_WORDS, type Profile, type Sketch } from '@ironlaw/contracts/profile'
import { binOf } from './bins.ts'

/** In place of words beyond the most that a feature may have. */
export const OTHER_WORDS = 'other'

type Counts = { readonly kind: Sketch['kind']; readonly counts: Map<string | number, number> }

export class ProfileCounter {
  rows = 0
  readonly #features = new Map<string, Counts>()

  /** What is no number is not counted. */
  countNumber(feature: string, value: number): void {
    const bin = binOf(value)
    if (bin !== undefined) add(this.#of(feature, 'numbers'), bin)
  }

  /** `word` is of a closed list. */
  countWord(feature: string, word: string): void {
    const counts = this.#of(feature, 'words')
    add(counts, counts.has(word) || counts.size < MOST_WORDS ? word : OTHER_WORDS)
  }

  profile(): Profile {
    return {
      rows: this.rows,
      features: Object.fromEntries([...this.#features].map(([feature, { kind, counts }]) => [feature, sketchOf(kind, counts)])),
    }
  }

  #of(feature: string, kind: Sketch['kind']): Counts['counts'] {
    let own = this.#features.get(feature)
    if (!own) this.#features.set(feature, (own = { kind, counts: new Map() }))
    return own.counts
  }
}

function add(counts: Counts['counts'], key: string | number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function sketchOf(kind: Sketch['kind'], counts: Counts['counts']): Sketch {
  const all = Object.fromEntries(counts)
  return kind === 'numbers' ? { kind, bins: all } : { kind, counts: all }
}
