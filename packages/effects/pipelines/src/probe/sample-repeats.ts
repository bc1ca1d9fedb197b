// Repeated text in the sample of a probe. Whether a window is there before is a question to the whole corpus, so what the sample holds is looked up in all of it: a window that
// is there c times loses all but one of its places, and each place of the sample is that one with probability 1 / c.

import { representatives, windowHashes, withoutWords, wordHashes, type WordRange } from '@ironlaw/text'
import { contentNumbers } from '../content.ts'
import { applySteps, documentBatches } from '../passes/flow.ts'
import { closeSteps, compileSteps, type Pipeline, sourceOf, substringsOf } from '../pipeline.ts'
import { LEAST_WORDS } from '../repeats/cuts.ts'
import { createTally } from '../tally.ts'
import type { Unit } from '../unit.ts'
import { anchorOf } from './anchor.ts'
import type { HeavyClusters } from './heavy.ts'
import type { Sampled } from './sampled.ts'

export type CutSample = {
  readonly left: readonly Sampled[]
  /** Keys that the passes over all documents would note of these, and of heavy clusters. */
  readonly keys: number
  readonly heavyKeys: number
  /** Of looking up the rest of the corpus, which no pass does. */
  readonly lookup_s: number
}

/** Another order than by which duplicates are kept. */
const ORDER_SEED = 29
/** A document of another cluster that shares so much is a near-duplicate: deduplication has dropped one of the two before. */
const NEAR_SHARE = 0.5

type Sample = {
  /** What deduplication left of it. */
  readonly going: readonly Sampled[]
  /** Anchors of all of it: clusters are in it as a whole. */
  readonly clusters: ReadonlySet<number>
  readonly heavy: HeavyClusters
}

export async function cutSample(pipeline: Pipeline, { going, clusters, heavy }: Sample): Promise<CutSample> {
  const { words: length } = substringsOf(pipeline)
  const keys = { sample: 0, heavy: 0 }
  const note = ({ anchor }: Sampled, count: number): number => (keys[heavy.has(anchor) ? 'heavy' : 'sample'] += count)
  let windows = 0
  for (const each of going) {
    const represented = representatives(wordHashes(each.document.text), length)
    windows += represented.windows
    represented.forEach(() => note(each, 1))
  }
  const counts = windowCounts(windows)
  for (const { document } of going) {
    const { count, highs, lows } = windowHashes(wordHashes(document.text), length)
    for (let i = 0; i < count; i += 1) counts.add(highs[i] as number, lows[i] as number)
  }
  const from = performance.now()
  await lookUp(pipeline, clusters, counts)
  const lookup_s = (performance.now() - from) / 1000
  const left = going.filter((each) => {
    const { document } = each
    const rank = contentNumbers(document.text, ORDER_SEED).order / 2 ** 53
    const found = repeatedRanges(document.text, { length, counts, rank })
    note(each, found.keys)
    if (found.cut.length === 0) return true
    const { text, words } = withoutWords(document.text, found.cut)
    document.text = text
    return words >= LEAST_WORDS
  })
  return { left, keys: keys.sample, heavyKeys: keys.heavy, lookup_s }
}

type Searching = { readonly length: number; readonly counts: WindowCounts; readonly rank: number }

/** Words that are cut where the document comes at this rank among those that hold them, and keys of windows that the passes would note. */
function repeatedRanges(text: string, { length, counts, rank }: Searching): { readonly cut: readonly WordRange[]; readonly keys: number } {
  const { count, highs, lows } = windowHashes(wordHashes(text), length)
  const cut: WordRange[] = []
  let keys = 0
  let last = -2
  for (let i = 0; i < count; i += 1) {
    const places = counts.of(highs[i] as number, lows[i] as number)
    if (places > 1) {
      // Windows around have a representative of the run too, on either side a quarter of their words on average.
      if (last !== i - 1) keys += Math.min(length / 4, i) + (last < 0 ? 0 : length / 4)
      keys += 1
      last = i
    }
    if (rank < 1 / places) continue
    const before = cut.at(-1)
    if (before && i <= before.to) cut[cut.length - 1] = { from: before.from, to: i + length }
    else cut.push({ from: i, to: i + length })
  }
  return { cut, keys: keys + (last < 0 ? 0 : Math.min(length / 4, count - 1 - last)) }
}

/** Counts the windows of documents that are not in the sample, of each cluster the first. */
async function lookUp(pipeline: Pipeline, clusters: ReadonlySet<number>, counts: WindowCounts): Promise<void> {
  const seen = new Set(clusters)
  for (const unit of pipeline.units) await lookUpUnit(pipeline, unit, { seen, counts })
}

type LookingUp = { readonly seen: Set<number>; readonly counts: WindowCounts }

async function lookUpUnit(pipeline: Pipeline, unit: Unit, { seen, counts }: LookingUp): Promise<void> {
  const { words: length } = substringsOf(pipeline)
  const tally = createTally(unit, sourceOf(pipeline, unit).name, pipeline.stepNames)
  const steps = await compileSteps(pipeline, pipeline.before, unit)
  const foundIn = (text: string): { readonly found: number; readonly of: number } => {
    const { count, highs, lows } = windowHashes(wordHashes(text), length)
    let found = 0
    for (let i = 0; i < count; i += 1) if (counts.of(highs[i] as number, lows[i] as number) > 0) found += 1
    return { found, of: count }
  }
  try {
    for await (const { documents } of documentBatches(pipeline, unit, { tally, isFirst: false })) {
      const hits = documents.filter(({ text }) => {
        const { found, of } = foundIn(text)
        if (found === 0 || (pipeline.duplicates?.shape && found > NEAR_SHARE * of)) return false
        const anchor = anchorOf(text)
        const isNew = !seen.has(anchor)
        seen.add(anchor)
        return isNew
      })
      for (const { text } of await applySteps(steps, hits, tally)) {
        const { count, highs, lows } = windowHashes(wordHashes(text), length)
        for (let i = 0; i < count; i += 1) counts.addKnown(highs[i] as number, lows[i] as number)
      }
    }
  } finally {
    await closeSteps(steps)
  }
}

type WindowCounts = {
  readonly add: (high: number, low: number) => void
  /** Only where the window was added before. */
  readonly addKnown: (high: number, low: number) => void
  readonly of: (high: number, low: number) => number
}

const MOST_COUNTED = 255

/** Five bytes a slot: of a key the place in the table and 32 bits. */
function windowCounts(windows: number): WindowCounts {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1024, 2 * windows)))
  const keys = new Uint32Array(size)
  const counts = new Uint8Array(size)
  const slotOf = (high: number, low: number): number => {
    let slot = low & (size - 1)
    while ((counts[slot] as number) > 0 && keys[slot] !== high) slot = (slot + 1) & (size - 1)
    return slot
  }
  const add = (high: number, low: number): void => {
    const slot = slotOf(high, low)
    keys[slot] = high
    counts[slot] = Math.min(MOST_COUNTED, (counts[slot] as number) + 1)
  }
  const of = (high: number, low: number): number => counts[slotOf(high, low)] as number
  return {
    add,
    addKnown: (high, low) => {
      if (of(high, low) > 0) add(high, low)
    },
    of,
  }
}
