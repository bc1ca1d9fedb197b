// Byte pair encoding of one piece: of all neighbours that merge, those of the lowest rank, the leftmost first, until none merges.

import type { MergeTable } from './merge-table.ts'

/** Above it a heap costs less than looking at all pairs again: 100 kB of one letter must not take time quadratic in its length. */
const SHORT = 40

export const mergedTokens = (symbols: number[], table: MergeTable): number[] =>
  symbols.length <= SHORT ? mergedShort(symbols, table) : mergedLong(symbols, table)

const NONE = 0x7fffffff

function mergedShort(symbols: number[], { find, ranks, results }: MergeTable): number[] {
  const rankAt = (i: number): number => {
    if (i < 0 || i + 1 >= symbols.length) return NONE
    const slot = find(symbols[i] as number, symbols[i + 1] as number)
    return slot === -1 ? NONE : (ranks[slot] as number)
  }
  const pairRanks = symbols.map((_, i) => rankAt(i))
  for (;;) {
    let best = NONE
    let at = -1
    for (let i = 0; i < pairRanks.length; i += 1) {
      if ((pairRanks[i] as number) < best) {
        best = pairRanks[i] as number
        at = i
      }
    }
    if (at === -1) return symbols
    symbols[at] = results[find(symbols[at] as number, symbols[at + 1] as number)] as number
    symbols.splice(at + 1, 1)
    pairRanks.splice(at + 1, 1)
    pairRanks[at] = rankAt(at)
    if (at > 0) pairRanks[at - 1] = rankAt(at - 1)
  }
}

/** Numbers in order, smallest first. */
function binaryHeap(): { readonly push: (value: number) => void; readonly pop: () => number | undefined } {
  const heap: number[] = []
  const push = (value: number): void => {
    let at = heap.length
    heap.push(value)
    while (at > 0) {
      const up = (at - 1) >> 1
      if ((heap[up] as number) <= value) break
      heap[at] = heap[up] as number
      at = up
    }
    heap[at] = value
  }
  const pop = (): number | undefined => {
    const top = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return top
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child += 1
      if ((heap[child] as number) >= last) break
      heap[at] = heap[child] as number
      at = child
    }
    heap[at] = last
    return top
  }
  return { push, pop }
}

/** Places fit into 32 bits and ranks into 21, so that a candidate is one exact number: rank first, then place. */
const PLACES = 2 ** 32

function mergedLong(symbols: number[], { find, ranks, results }: MergeTable): number[] {
  const next = Int32Array.from(symbols, (_, i) => (i + 1 < symbols.length ? i + 1 : -1))
  const previous = Int32Array.from(symbols, (_, i) => i - 1)
  const { push, pop } = binaryHeap()
  const slotAt = (i: number): number => {
    const right = next[i] as number
    return right === -1 || symbols[i] === -1 ? -1 : find(symbols[i] as number, symbols[right] as number)
  }
  const offer = (i: number): void => {
    const slot = i === -1 ? -1 : slotAt(i)
    if (slot !== -1) push((ranks[slot] as number) * PLACES + i)
  }
  for (let i = 0; i + 1 < symbols.length; i += 1) offer(i)
  for (let top = pop(); top !== undefined; top = pop()) {
    const at = top % PLACES
    const slot = slotAt(at)
    // Stale: one of the two was merged with another neighbour in the meantime.
    if (slot === -1 || ranks[slot] !== Math.floor(top / PLACES)) continue
    const gone = next[at] as number
    const after = next[gone] as number
    symbols[at] = results[slot] as number
    symbols[gone] = -1
    next[at] = after
    if (after !== -1) previous[after] = at
    offer(previous[at] as number)
    offer(at)
  }
  return symbols.filter((symbol) => symbol !== -1)
}
