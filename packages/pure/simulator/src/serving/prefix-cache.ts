// Prefix blocks that one replica keeps, by hash. A hash stands for all tokens up to the end of its part, so the parts form a radix tree whose
// edges need not be stored: a part is only ever kept when all before it are. Parts in use are counted; unused ones wait in the
// order of last use, the deepest of a prompt first, and are evicted from there.

import type { ReplicaRule } from './replica-rule.ts'

const NONE = -1

/** Undefined where prefixes are not kept in blocks. */
export function prefixCacheOf({ prefixTokens = 0, blockTokens, prefixesIn }: ReplicaRule, hashes: Int32Array): PrefixCache | undefined {
  const blocksPerPart = prefixesIn === 'blocks' ? Math.floor(prefixTokens / blockTokens) : 0
  return blocksPerPart > 0 ? new PrefixCache({ hashes, blocksPerPart }) : undefined
}

export class PrefixCache {
  /** Blocks of one part. */
  readonly blocksPerPart: number
  /** Unused parts. */
  idle = 0
  private readonly hashes: Int32Array
  private readonly entryOf = new Map<number, number>()
  private readonly hash: number[] = []
  private readonly users: number[] = []
  private readonly older: number[] = []
  private readonly newer: number[] = []
  private oldest = NONE
  private newest = NONE
  private firstFree = NONE

  /** `hashes` is the list that requests point into. */
  constructor({ hashes, blocksPerPart }: { readonly hashes: Int32Array; readonly blocksPerPart: number }) {
    this.hashes = hashes
    this.blocksPerPart = blocksPerPart
  }

  get parts(): number {
    return this.entryOf.size
  }

  /** Leading parts of a prompt that are kept, at most `most`. */
  matching(first: number, most: number): number {
    let found = 0
    while (found < most && this.entryOf.has(this.hashes[first + found]!)) found += 1
    return found
  }

  /** Of those leading parts, the unused ones: using them takes them from what can be evicted. */
  idleAmong(first: number, count: number): number {
    let idle = 0
    for (let part = 0; part < count; part += 1) if (this.users[this.entryAt(first + part)] === 0) idle += 1
    return idle
  }

  use(first: number, count: number): void {
    for (let part = 0; part < count; part += 1) {
      const entry = this.entryAt(first + part)
      if (this.users[entry] === 0) this.unlink(entry)
      this.users[entry]! += 1
    }
  }

  /** Keeps the parts of a prompt that was just computed, in use by it; gives how many of its leading parts it uses now. */
  keep(first: number, { held, count }: { readonly held: number; readonly count: number }): number {
    // Another request computed the same meanwhile: this copy stays the request's own.
    if (held >= count || this.entryOf.has(this.hashes[first + held]!)) return held
    for (let part = held; part < count; part += 1) this.add(this.hashes[first + part]!)
    return count
  }

  release(first: number, count: number): void {
    for (let part = count - 1; part >= 0; part -= 1) {
      const entry = this.entryAt(first + part)
      this.users[entry]! -= 1
      if (this.users[entry] === 0) this.link(entry)
    }
  }

  /** Forgets the part unused for longest; only when one is idle. */
  evict(): void {
    const entry = this.oldest
    this.unlink(entry)
    this.entryOf.delete(this.hash[entry]!)
    this.newer[entry] = this.firstFree
    this.firstFree = entry
  }

  /** Drops all unused parts. */
  clear(): void {
    while (this.idle > 0) this.evict()
  }

  private entryAt(index: number): number {
    return this.entryOf.get(this.hashes[index]!) ?? NONE
  }

  private add(hash: number): void {
    const entry = this.firstFree === NONE ? this.hash.length : this.firstFree
    if (entry === this.firstFree) this.firstFree = this.newer[entry]!
    this.hash[entry] = hash
    this.users[entry] = 1
    this.entryOf.set(hash, entry)
  }

  private link(entry: number): void {
    this.older[entry] = this.newest
    this.newer[entry] = NONE
    if (this.newest === NONE) this.oldest = entry
    else this.newer[this.newest] = entry
    this.newest = entry
    this.idle += 1
  }

  private unlink(entry: number): void {
    const older = this.older[entry]!
    const newer = this.newer[entry]!
    if (older === NONE) this.oldest = newer
    else this.newer[older] = newer
    if (newer === NONE) this.newest = older
    else this.older[newer] = older
    this.idle -= 1
  }
}
