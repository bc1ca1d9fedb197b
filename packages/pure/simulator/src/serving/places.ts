// Places of an engine that keeps one conversation in each, as llama.cpp does: a request takes the free place whose last conversation begins
// like its prompt, and computes the rest. While it runs no other request finds that prefix, however often it was computed: blocks that
// requests share (`prefix-cache.ts`) would be found by all of them.

import type { ReplicaRule } from './replica-rule.ts'
import { NONE } from './slot-list.ts'

/** A prefix shorter than this share of the prompt is not worth another conversation's place (llama-server's slot-prompt-similarity). */
const WORTHWHILE = 0.1

/** Undefined where prefixes are kept in blocks, or not at all. */
export const placesOf = ({ prefixTokens = 0, prefixesIn, sequencesMost }: ReplicaRule, hashes: Int32Array): Places | undefined =>
  prefixesIn === 'places' && prefixTokens > 0 ? new Places(sequencesMost, { hashes, partTokens: prefixTokens }) : undefined

type CachePlace = { holder: number; hashFirst: number; hashCount: number; usedAt: number }

type PromptPrefix = { readonly hashFirst: number; readonly hashCount: number; readonly tokens: number }

export class Places {
  readonly partTokens: number
  private readonly hashes: Int32Array
  private readonly places: readonly CachePlace[]
  private clock = 0

  /** `hashes` is the list that prompts point into; each stands for this many tokens. */
  constructor(count: number, { hashes, partTokens }: { readonly hashes: Int32Array; readonly partTokens: number }) {
    this.hashes = hashes
    this.partTokens = partTokens
    this.places = Array.from({ length: count }, () => ({ holder: NONE, hashFirst: 0, hashCount: 0, usedAt: 0 }))
  }

  /** Tokens of its prompt that the place holds which the request takes; there is one, since a batch has no more requests than places. */
  take(holder: number, { hashFirst, hashCount, tokens }: PromptPrefix): number {
    let nearest: CachePlace | undefined
    let most = (WORTHWHILE * tokens) / this.partTokens
    for (const place of this.places) {
      const parts = place.holder === NONE ? this.commonParts(place, hashFirst, hashCount) : 0
      if (parts > most) [nearest, most] = [place, parts]
    }
    const place = nearest ?? this.oldestNearBusy()
    if (!place) return 0
    Object.assign(place, { holder, hashFirst, hashCount })
    return nearest ? most * this.partTokens : 0
  }

  /** The conversation stays. */
  free(holder: number): void {
    const place = this.places.find((each) => each.holder === holder)
    if (place) Object.assign(place, { holder: NONE, usedAt: (this.clock += 1) })
  }

  /** The engine is gone. */
  clear(): void {
    for (const place of this.places) Object.assign(place, { holder: NONE, hashCount: 0 })
  }

  private commonParts(place: CachePlace, first: number, count: number): number {
    const most = Math.min(count, place.hashCount)
    let parts = 0
    while (parts < most && this.hashes[place.hashFirst + parts] === this.hashes[first + parts]) parts += 1
    return parts
  }

  /** None of the half used last, and of the others the one with the most busy neighbours: the engine computes those in one pass. */
  private oldestNearBusy(): CachePlace | undefined {
    const free = this.places.flatMap((place, index) => (place.holder === NONE ? [{ place, index }] : []))
    const older = free.toSorted((one, other) => one.place.usedAt - other.place.usedAt).slice(0, Math.ceil(free.length / 2))
    const isBusy = (index: number): number => ((this.places[index]?.holder ?? NONE) === NONE ? 0 : 1)
    const neighbours = ({ index }: { readonly index: number }): number => isBusy(index - 1) + isBusy(index + 1)
    return older.toSorted((one, other) => neighbours(other) - neighbours(one))[0]?.place
  }
}
