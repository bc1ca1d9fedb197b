// The decoding requests of one replica by the step in which each ends: the next end without looking at the others.

import type { RequestTable } from './request-table.ts'
import { NONE } from './slot-list.ts'

export class EndHeap {
  size = 0
  private slots = new Int32Array(64)
  private readonly table: RequestTable

  constructor(table: RequestTable) {
    this.table = table
  }

  /** The request that ends first; only when there is one. */
  get first(): number {
    return this.slots[0]!
  }

  push(slot: number): void {
    if (this.size === this.slots.length) {
      const wider = new Int32Array(2 * this.size)
      wider.set(this.slots)
      this.slots = wider
    }
    this.size += 1
    this.rise(slot, this.size - 1)
  }

  remove(slot: number): void {
    const hole = this.table.place[slot]!
    this.size -= 1
    this.table.place[slot] = NONE
    if (hole === this.size) return
    const moved = this.slots[this.size]!
    this.sink(moved, hole)
    this.rise(moved, this.table.place[moved]!)
  }

  private rise(slot: number, from: number): void {
    const { ends, place } = this.table
    const { slots } = this
    const end = ends[slot]!
    let hole = from
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const above = slots[parent]!
      if (ends[above]! <= end) break
      slots[hole] = above
      place[above] = hole
      hole = parent
    }
    slots[hole] = slot
    place[slot] = hole
  }

  private sink(slot: number, from: number): void {
    const { ends, place } = this.table
    const { slots, size } = this
    const end = ends[slot]!
    let hole = from
    for (let child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && ends[slots[child + 1]!]! < ends[slots[child]!]!) child += 1
      const below = slots[child]!
      if (ends[below]! >= end) break
      slots[hole] = below
      place[below] = hole
      hole = child
    }
    slots[hole] = slot
    place[slot] = hole
  }
}
