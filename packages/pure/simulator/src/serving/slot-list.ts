// Requests in a row, linked through the table's own columns: a request stands in one row at a time.

import type { RequestTable } from './request-table.ts'

export const NONE = -1

export class SlotList {
  first = NONE
  last = NONE
  length = 0
  private readonly table: RequestTable

  constructor(table: RequestTable) {
    this.table = table
  }

  /** Behind `before`; at the front when that is NONE. */
  private insert(slot: number, before: number): void {
    const { next, previous } = this.table
    const after = before === NONE ? this.first : next[before]!
    next[slot] = after
    previous[slot] = before
    if (before === NONE) this.first = slot
    else next[before] = slot
    if (after === NONE) this.last = slot
    else previous[after] = slot
    this.length += 1
  }

  append(slot: number): void {
    this.insert(slot, this.last)
  }

  /** Behind all that are as urgent or more. */
  enqueue(slot: number): void {
    const { priority, previous } = this.table
    let before = this.last
    while (before !== NONE && priority[before]! > priority[slot]!) before = previous[before]!
    this.insert(slot, before)
  }

  /** Before all that are as urgent or less. */
  enqueueFirst(slot: number): void {
    const { priority, next } = this.table
    let before = NONE
    for (let each = this.first; each !== NONE && priority[each]! < priority[slot]!; each = next[each]!) before = each
    this.insert(slot, before)
  }

  remove(slot: number): void {
    const { next, previous } = this.table
    const before = previous[slot]!
    const after = next[slot]!
    if (before === NONE) this.first = after
    else next[before] = after
    if (after === NONE) this.last = before
    else previous[after] = before
    this.length -= 1
  }

  /** The last of the least urgent. */
  leastUrgent(): number {
    const { priority, previous } = this.table
    let least = this.last
    for (let slot = this.last; slot !== NONE; slot = previous[slot]!) if (priority[slot]! > priority[least]!) least = slot
    return least
  }
}
