// Which replica is thought to hold which prefix blocks: what was sent there, forgotten in the order the engine would evict. Approximate by
// nature (it sees no engine event). Flat arrays and one map, so that a match costs what the holders of the prefix cost, not the number
// of replicas, and routing a request allocates nothing.

const NONE = -1

export class PrefixIndex {
  readonly #capacity: number
  /** First entry of each block's list of holders. */
  readonly #first = new Map<number, number>()
  readonly #oldest: number[] = []
  readonly #newest: number[] = []
  readonly #held: number[] = []
  // One entry is one block on one replica.
  readonly #block: number[] = []
  readonly #replica: number[] = []
  readonly #nextHolder: number[] = []
  readonly #older: number[] = []
  readonly #newer: number[] = []
  #free: number = NONE

  /** Blocks that one replica's cache holds, from the engine's own report where there is one. */
  constructor({ blocksPerReplica }: { readonly blocksPerReplica: number }) {
    this.#capacity = blocksPerReplica
  }

  /** Leading blocks that each replica holds, written into `into` (one number a replica, zeroed here). */
  match(blocks: readonly number[], into: number[]): void {
    into.fill(0)
    for (let depth = 0; depth < blocks.length; depth += 1) {
      let found = false
      for (let entry = this.#first.get(blocks[depth] ?? NONE) ?? NONE; entry !== NONE; entry = this.#nextHolder[entry] ?? NONE) {
        const replica = this.#replica[entry] ?? NONE
        if (into[replica] !== depth) continue
        into[replica] = depth + 1
        found = true
      }
      if (!found) return
    }
  }

  /** Notes that the replica has read this prompt. The deepest block first, so that a prefix outlives what hangs on it. */
  add(replica: number, blocks: readonly number[]): void {
    for (let depth = Math.min(blocks.length, this.#capacity) - 1; depth >= 0; depth -= 1) {
      const block = blocks[depth] ?? NONE
      const entry = this.#entryOf(block, replica)
      if (entry === NONE) this.#append(replica, block)
      else {
        this.#unlink(entry, replica)
        this.#link(entry, replica)
      }
    }
  }

  /** The replica restarted: nothing of its cache is left. */
  forget(replica: number): void {
    while ((this.#held[replica] ?? 0) > 0) this.#evict(replica)
  }

  blockCount(replica: number): number {
    return this.#held[replica] ?? 0
  }

  #entryOf(block: number, replica: number): number {
    let entry = this.#first.get(block) ?? NONE
    while (entry !== NONE && this.#replica[entry] !== replica) entry = this.#nextHolder[entry] ?? NONE
    return entry
  }

  #append(replica: number, block: number): void {
    if ((this.#held[replica] ?? 0) >= this.#capacity) this.#evict(replica)
    const entry = this.#free === NONE ? this.#block.length : this.#free
    if (entry === this.#free) this.#free = this.#nextHolder[entry] ?? NONE
    this.#block[entry] = block
    this.#replica[entry] = replica
    this.#nextHolder[entry] = this.#first.get(block) ?? NONE
    this.#first.set(block, entry)
    this.#held[replica] = (this.#held[replica] ?? 0) + 1
    this.#link(entry, replica)
  }

  #link(entry: number, replica: number): void {
    const newest = this.#newest[replica] ?? NONE
    this.#older[entry] = newest
    this.#newer[entry] = NONE
    if (newest === NONE) this.#oldest[replica] = entry
    else this.#newer[newest] = entry
    this.#newest[replica] = entry
  }

  #unlink(entry: number, replica: number): void {
    const older = this.#older[entry] ?? NONE
    const newer = this.#newer[entry] ?? NONE
    if (older === NONE) this.#oldest[replica] = newer
    else this.#newer[older] = newer
    if (newer === NONE) this.#newest[replica] = older
    else this.#older[newer] = older
  }

  #evict(replica: number): void {
    const entry = this.#oldest[replica] ?? NONE
    const block = this.#block[entry] ?? NONE
    this.#unlink(entry, replica)
    let before = this.#first.get(block) ?? NONE
    const after = this.#nextHolder[entry] ?? NONE
    if (before === entry) {
      if (after === NONE) this.#first.delete(block)
      else this.#first.set(block, after)
    } else {
      while (this.#nextHolder[before] !== entry) before = this.#nextHolder[before] ?? NONE
      this.#nextHolder[before] = after
    }
    this.#nextHolder[entry] = this.#free
    this.#free = entry
    this.#held[replica] = (this.#held[replica] ?? 0) - 1
  }
}
