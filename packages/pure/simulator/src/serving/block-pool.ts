// The blocks of one replica's cache: free, owned by a request, of a prefix, or kept for a request that was preempted and may come back to
// them. Unused blocks are reclaimed when one is needed: first what preempted requests left, from its end, then the idle prefixes.

import type { PrefixCache } from './prefix-cache.ts'

export class BlockPool {
  free: number
  readonly total: number
  readonly prefixes: PrefixCache | undefined
  /** By request, the oldest first. */
  private readonly kept = new Map<number, number>()
  private keptBlocks = 0

  constructor(total: number, prefixes: PrefixCache | undefined) {
    this.total = total
    this.free = total
    this.prefixes = prefixes
  }

  get available(): number {
    return this.free + this.keptBlocks + (this.prefixes ? this.prefixes.idle * this.prefixes.blocksPerPart : 0)
  }

  /** Only as many as are available. */
  take(blocks: number): void {
    while (this.free < blocks && this.keptBlocks > 0) this.dropKept(blocks - this.free)
    if (this.prefixes)
      while (this.free < blocks) {
        this.prefixes.evict()
        this.free += this.prefixes.blocksPerPart
      }
    this.free -= blocks
  }

  give(blocks: number): void {
    this.free += blocks
  }

  /** Sets aside some of what a request just gave. */
  keep(request: number, blocks: number): void {
    this.free -= blocks
    this.keptBlocks += blocks
    this.kept.set(request, blocks)
  }

  /** What is left of that; the request owns it again. */
  recall(request: number): number {
    if (this.kept.size === 0) return 0
    const blocks = this.kept.get(request) ?? 0
    this.kept.delete(request)
    this.keptBlocks -= blocks
    return blocks
  }

  /** No unused block is left. */
  clear(): void {
    this.free = this.available
    this.kept.clear()
    this.keptBlocks = 0
    this.prefixes?.clear()
  }

  /** Of the request that left its blocks first. */
  private dropKept(most: number): void {
    const [first] = this.kept
    if (!first) return
    const [request, blocks] = first
    const dropped = Math.min(most, blocks)
    this.keptBlocks -= dropped
    this.free += dropped
    if (dropped === blocks) this.kept.delete(request)
    else this.kept.set(request, blocks - dropped)
  }
}
