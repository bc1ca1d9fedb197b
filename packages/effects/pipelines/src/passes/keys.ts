// Keys that documents share with their duplicates, in partitions by their upper bits: whatever shares a key is in one partition.

/** Bytes of an entry: a key of 64 bits and the number of the document in its unit. */
export const ENTRY_WORDS = 3
export const ENTRY_BYTES = 4 * ENTRY_WORDS

export type KeyTable = {
  readonly add: (high: number, low: number, document: number) => void
  /** Entries by partition, and where each partition begins in bytes; at last the end. */
  readonly sorted: () => { readonly entries: Uint8Array; readonly starts: readonly number[] }
}

export function keyTable(partitions: number): KeyTable {
  let words = new Uint32Array(ENTRY_WORDS * 4096)
  let used = 0
  const shift = 32 - Math.log2(partitions)
  const partitionOf = (high: number): number => (partitions === 1 ? 0 : high >>> shift)
  return {
    add: (high, low, document) => {
      if (used === words.length) {
        const larger = new Uint32Array(2 * words.length)
        larger.set(words)
        words = larger
      }
      words[used] = high
      words[used + 1] = low
      words[used + 2] = document
      used += ENTRY_WORDS
    },
    sorted: () => {
      const counts = new Uint32Array(partitions + 1)
      for (let at = 0; at < used; at += ENTRY_WORDS) {
        const next = partitionOf(words[at] as number) + 1
        counts[next] = (counts[next] as number) + 1
      }
      for (let i = 1; i <= partitions; i += 1) counts[i] = (counts[i] as number) + (counts[i - 1] as number)
      const starts = Array.from(counts, (count) => count * ENTRY_BYTES)
      const sorted = new Uint32Array(used)
      for (let at = 0; at < used; at += ENTRY_WORDS) {
        const partition = partitionOf(words[at] as number)
        const place = ENTRY_WORDS * (counts[partition] as number)
        counts[partition] = (counts[partition] as number) + 1
        sorted.set(words.subarray(at, at + ENTRY_WORDS), place)
      }
      return { entries: new Uint8Array(sorted.buffer), starts }
    },
  }
}
