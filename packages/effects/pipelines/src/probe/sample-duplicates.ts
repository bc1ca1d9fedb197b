// Deduplication inside the clusters of a probe's sample, with the keys that the pipeline would use.

import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { bandKeys, components, signature } from '@ironlaw/text'
import { contentNumbers } from '../content.ts'
import type { Duplicates } from '../pipeline.ts'
import type { HeavyClusters } from './heavy.ts'
import type { Sampled } from './sampled.ts'

export type FoundDuplicates = {
  readonly left: readonly Sampled[]
  readonly figures?: NonNullable<DataProbe['duplicates']>
  /** To make the keys of documents, which is what a worker does; comparing pairs is the probe's own. */
  readonly keys_s: number
}

const SIMILARITY_BINS = 20
/**
 * How far the weight of a removed near-duplicate may be off: how often one shares the anchor of its group is judged by its nearest neighbour in the sample. Chosen on 60
 * drawn corpora; `ironlaw validate data` draws others.
 */
const NEAR_SPREAD = 0.14
/** Contents of one cluster that are compared with each other: pairs grow with the square. */
const MOST_COMPARED = 40

type Member = { readonly sampled: Sampled; readonly bins: Uint32Array; readonly keys: readonly (bigint | string)[]; readonly order: number }
type Counts = { exact: number; near: number; inPairs: number; edges: number; pairs: number[] }

export function removeDuplicates(sampled: readonly Sampled[], { shape }: Duplicates, heavy: HeavyClusters): FoundDuplicates {
  const counts: Counts = { exact: 0, near: 0, inPairs: 0, edges: 0, pairs: Array.from({ length: SIMILARITY_BINS }, () => 0) }
  const left: Sampled[] = []
  const from = performance.now()
  const members = sampled.map((each): Member => {
    const bins = shape ? signature(each.document.text, shape) : new Uint32Array(0)
    const { order, high, low } = contentNumbers(each.document.text)
    return { sampled: each, bins, keys: bins.length === 0 ? [`${high}-${low}`] : [...bandKeys(bins, shape)], order }
  })
  const keys_s = (performance.now() - from) / 1000
  for (const [anchor, cluster] of Map.groupBy(members, (each) => each.sampled.anchor))
    left.push(...removeInCluster(cluster, heavy.has(anchor) ? undefined : counts))
  return { left, keys_s, ...(shape ? { figures: { bands: shape.bands, rows: shape.rows, nearSpread: NEAR_SPREAD, ...counts } } : {}) }
}

function removeInCluster(members: readonly Member[], counts: Counts | undefined): Sampled[] {
  const copies = members.reduce((sum, { sampled }) => sum + sampled.copies - 1, 0)
  const edges = sharedKeys(members)
  const group = components(members.length, [Uint32Array.from(edges.flat())])
  const left: Sampled[] = []
  for (const component of Map.groupBy(members.keys(), (index) => group[index] as number).values()) {
    const all = [...component].map((index) => members[index] as Member)
    const kept = all.reduce((best, each) => (each.order < best.order ? each : best))
    const removed = all.filter((each) => each !== kept).map((each) => 1 / nearest(each, all))
    left.push({ ...kept.sampled, copies: 1, weight: kept.sampled.weight - removed.reduce((sum, weight) => sum + weight - 1, 0) })
    if (!counts || removed.length === 0) continue
    counts.near += removed.reduce((sum, weight) => sum + weight, 0)
    counts.inPairs += all.length
  }
  if (counts) {
    counts.exact += copies
    counts.edges += edges.length + copies * (members[0]?.keys.length ?? 1)
    countPairs(members.slice(0, MOST_COMPARED), counts.pairs)
  }
  return left
}

/** Members that share a key, as the table of the pipeline joins them: each with the first that had it. */
function sharedKeys(members: readonly Member[]): (readonly [number, number])[] {
  const first = new Map<bigint | string, number>()
  const edges: (readonly [number, number])[] = []
  for (const [index, { keys }] of members.entries())
    for (const key of keys) {
      const earlier = first.get(key)
      if (earlier === undefined) first.set(key, index)
      else if (earlier !== index) edges.push([earlier, index])
    }
  return edges
}

/** The share of bins in which two signatures agree estimates the similarity. */
function similarity(a: Member, b: Member): number {
  if (a.bins.length === 0 || b.bins.length === 0) return 1
  let equal = 0
  for (let i = 0; i < a.bins.length; i += 1) if (a.bins[i] === b.bins[i]) equal += 1
  return Math.max(equal, 1) / a.bins.length
}

/** What joins a document to its group is the member that is most like it. */
const nearest = (member: Member, group: readonly Member[]): number =>
  group
    .slice(0, MOST_COMPARED)
    .reduce((most, each) => (each === member ? most : Math.max(most, similarity(member, each))), 1 / SIMILARITY_BINS)

function countPairs(members: readonly Member[], pairs: number[]): void {
  for (const [index, a] of members.entries())
    for (const b of members.slice(index + 1)) {
      const s = similarity(a, b)
      const bin = Math.min(SIMILARITY_BINS - 1, Math.floor(s * SIMILARITY_BINS))
      pairs[bin] = (pairs[bin] as number) + (a.sampled.copies * b.sampled.copies) / s
    }
}
