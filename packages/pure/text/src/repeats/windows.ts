// Runs of so many words in a row ("windows"), by hashes that are rolled on from word to word. To find windows that occur twice without a key for each, every window is
// represented by one shorter run inside it: that with the smallest hash (winnowing: Schleimer, Wilkerson, Aiken 2003). Which one that is depends on the words of the
// window alone, so two equal windows have equal representatives. Neighbouring windows mostly share theirs: about 2 of every `words / 2` words begin one.

import { mixed } from '../near-duplicates/words.ts'

/** Differ by 2 modulo 4, so that windows which differ in two words collide in both hashes no more often than by chance. */
const BASES = [0x050c5d1f, 0x2545f491] as const

export type RunHashes = {
  /** Runs of the text; their hashes are valid until the next call. */
  readonly count: number
  readonly highs: Uint32Array
  readonly lows: Uint32Array
}

const NO_RUNS: RunHashes = { count: 0, highs: new Uint32Array(0), lows: new Uint32Array(0) }

type Buffers = { highs: Uint32Array; lows: Uint32Array }

/** Hashes of 64 bits of all runs of `length` words. */
function runHashes(words: Int32Array, length: number, buffers: Buffers): RunHashes {
  const count = words.length - length + 1
  if (count <= 0) return NO_RUNS
  if (buffers.highs.length < count) {
    buffers.highs = new Uint32Array(2 * count)
    buffers.lows = new Uint32Array(2 * count)
  }
  const { highs, lows } = buffers
  const [first, second] = BASES
  let [leavingFirst, leavingSecond, high, low] = [1, 1, 0, 0]
  for (let i = 0; i < length; i += 1) {
    leavingFirst = Math.imul(leavingFirst, first)
    leavingSecond = Math.imul(leavingSecond, second)
    const word = words[i] as number
    high = (Math.imul(high, first) + word) | 0
    low = (Math.imul(low, second) + word) | 0
  }
  for (let i = 0; ; i += 1) {
    highs[i] = mixed(high)
    lows[i] = mixed(low)
    if (i + 1 >= count) break
    const [entering, oldest] = [words[i + length] as number, words[i] as number]
    high = (Math.imul(high, first) + entering - Math.imul(oldest, leavingFirst)) | 0
    low = (Math.imul(low, second) + entering - Math.imul(oldest, leavingSecond)) | 0
  }
  return { count, highs, lows }
}

const windowBuffers: Buffers = { highs: new Uint32Array(0), lows: new Uint32Array(0) }

/** Hashes of all windows. A chance hit has probability 2^-64 a pair, and none where windows differ in one word. */
export const windowHashes = (words: Int32Array, length: number): RunHashes => runHashes(words, length, windowBuffers)

export type Representatives = {
  readonly windows: number
  /** Calls back with each representative in the order of the text: its hash, and the windows that it stands for, from `first` up to `end`. */
  readonly forEach: (at: (run: Representative) => void) => void
}

export type Representative = { readonly high: number; readonly low: number; readonly first: number; readonly end: number }

const runBuffers: Buffers = { highs: new Uint32Array(0), lows: new Uint32Array(0) }

/** @param length words of a window; a representative has half as many */
export function representatives(words: Int32Array, length: number): Representatives {
  const windows = Math.max(0, words.length - length + 1)
  if (windows === 0) return { windows: 0, forEach: () => undefined }
  const run = Math.max(1, length >> 1)
  const places = length - run + 1
  const { highs, lows } = runHashes(words, run, runBuffers)
  const forEach = (at: (run: Representative) => void): void => {
    let smallest = -1
    let first = 0
    for (let window = 0; window < windows; window += 1) {
      const last = window + places - 1
      const before = smallest
      // Of equal hashes always the last, so that the choice depends on the window alone.
      if (smallest < window) {
        smallest = window
        for (let i = window + 1; i <= last; i += 1) if ((lows[i] as number) <= (lows[smallest] as number)) smallest = i
      } else if ((lows[last] as number) <= (lows[smallest] as number)) smallest = last
      if (smallest === before || before < 0) continue
      at({ high: highs[before] as number, low: lows[before] as number, first, end: window })
      first = window
    }
    at({ high: highs[smallest] as number, low: lows[smallest] as number, first, end: windows })
  }
  return { windows, forEach }
}
