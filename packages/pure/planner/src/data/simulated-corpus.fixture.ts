// Corpora whose truth is known, and probes of them, for tests: groups of copies or near-duplicates with sizes from a heavy-tailed distribution,
// texts of lognormal length, a filter that judges by group, one document kept of each group.

import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { nearDuplicateWeight } from '@ironlaw/laws/data/deduplication'
import { bare } from '@ironlaw/laws/law'

export type CorpusShape = {
  readonly seed: number
  readonly groups: number
  readonly sizes: 'zipf' | 'lognormal' | 'single'
  /** Similarity inside a group; 1 are copies. */
  readonly similarity: number
  readonly share: number
  readonly heavy: number
}

export type Truth = { readonly documents: number; readonly bytes: number; readonly tokens: number }
type Cluster = { readonly documents: number; readonly bytes: number; readonly filtered: Truth; readonly left: Truth }

const weightOf = bare(nearDuplicateWeight)
const NOTHING: Truth = { documents: 0, bytes: 0, tokens: 0 }

export function randomStream(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let z = Math.imul(state ^ (state >>> 15), 1 | state)
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Box and Muller's. */
const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
const exponential = (random: () => number, rate: number): number => -Math.log(1 - random()) / rate

function groupSize(random: () => number, sizes: CorpusShape['sizes']): number {
  if (sizes === 'single') return 1
  if (sizes === 'lognormal') return Math.max(1, Math.round(Math.exp(normal(random) * 0.9)))
  return random() < 0.8 ? 1 : Math.min(1000, 1 + Math.floor((1 - random()) ** (-1 / 1.3)))
}

/** Documents of a group whose anchor lies in what they share. The others have anchors of their own. */
function sharedAnchors(random: () => number, size: number, similarity: number): number {
  if (similarity === 1) return size
  const core = exponential(random, 1)
  let shared = 0
  for (let i = 0; i < size; i += 1) shared += exponential(random, (1 - similarity) / (2 * similarity)) > core ? 1 : 0
  return shared
}

export function simulatedProbe(shape: CorpusShape): { readonly probe: DataProbe; readonly truth: Truth } {
  const random = randomStream(shape.seed)
  const clusters: Cluster[] = []
  const truth = { ...NOTHING }
  for (let group = 0; group < shape.groups; group += 1) {
    const size = groupSize(random, shape.sizes)
    const bytes = Math.exp(7.5 + 0.9 * normal(random))
    const tokens = bytes * (0.2 + 0.05 * random())
    const passes = random() < 0.7 ? 1 : 0
    truth.documents += passes
    truth.bytes += passes * bytes
    truth.tokens += passes * tokens
    const add = (documents: number, weight: number): void => {
      const of = (count: number): Truth => ({ documents: count, bytes: count * bytes, tokens: count * tokens })
      clusters.push({ documents, bytes: documents * bytes, filtered: of(passes * documents), left: of(passes * weight) })
    }
    const shared = sharedAnchors(random, size, shape.similarity)
    const weight = shared > 1 ? 1 - (shared - 1) * (weightOf({ similarity: shape.similarity, found: shared }) - 1) : 1
    if (shared > 0) add(shared, weight)
    for (let own = shared; own < size; own += 1) add(1, 1)
  }
  return { probe: probeOf(clusters, shape, random), truth }
}

type Moments = { sum: number; squares: number; products: number }

function probeOf(clusters: readonly Cluster[], { share, similarity, heavy: heaviest }: CorpusShape, random: () => number): DataProbe {
  const sorted = clusters.toSorted((a, b) => b.bytes - a.bytes)
  const heavy = sorted.slice(0, heaviest)
  const sampled = sorted.slice(heaviest).filter(() => random() < share)
  const total = (list: readonly Cluster[], of: (each: Cluster) => number): number => list.reduce((sum, each) => sum + of(each), 0)
  const moments = (of: (each: Cluster) => number, by: 'documents' | 'bytes'): Moments => ({
    sum: total(sampled, of),
    squares: total(sampled, (each) => of(each) ** 2),
    products: total(sampled, (each) => of(each) * each[by]),
  })
  const leftBy = (stage: 'filtered' | 'left') => ({
    left: {
      documents: moments((each) => each[stage].documents, 'documents'),
      bytes: moments((each) => each[stage].bytes, 'bytes'),
      tokens: moments((each) => each[stage].tokens, 'bytes'),
    },
    heavy: {
      documents: total(heavy, (each) => each[stage].documents),
      bytes: total(heavy, (each) => each[stage].bytes),
      tokens: total(heavy, (each) => each[stage].tokens),
    },
  })
  const sizes = (by: 'documents' | 'bytes') => ({
    sum: total(sampled, (each) => each[by]),
    squares: total(sampled, (each) => each[by] ** 2),
  })
  const [bytes, sampledBytes] = [total(clusters, (each) => each.bytes), total(sampled, (each) => each.bytes)]
  const work = { documents: total(sampled, (each) => each.documents), bytes: sampledBytes }
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'DataProbe',
    spec: 'simulated',
    share,
    corpus: {
      files: 10,
      stored_bytes: bytes,
      documents: total(clusters, (each) => each.documents),
      bytes,
      units: 40,
      largestUnit_bytes: bytes / 30,
      largestDocument_bytes: 1e6,
    },
    sample: { clusters: sampled.length, documents: sizes('documents'), bytes: sizes('bytes') },
    heavy: {
      clusters: heavy.length,
      documents: total(heavy, (each) => each.documents),
      bytes: total(heavy, (each) => each.bytes),
      heaviest: [],
    },
    reading: { stored_bytes: bytes, time_s: bytes / 50e6, does: 'read', again: 'read again' },
    steps: [
      { name: 'keep', kind: 'filter', does: 'keep', ...work, time_s: sampledBytes / 40e6, ...leftBy('filtered') },
      { name: 'deduplicate', kind: 'dedupe', does: 'deduplicate', ...work, time_s: sampledBytes / 40e6, ...leftBy('left') },
      { name: 'tokenize', kind: 'tokenize', does: 'tokenize', ...work, time_s: sampledBytes / 3e6, ...leftBy('left') },
    ],
    duplicates: {
      bands: 14,
      rows: 8,
      exact: 0,
      near: similarity < 1 ? 100 : 0,
      inPairs: 200,
      edges: 900,
      pairs: Array.from({ length: 20 }, (_, bin) => bin),
    },
    machine: { name: 'test', cores: 2, memory_bytes: 16e9, read_bytes_per_s: 1e9, peak_bytes: 200e6 },
    time_s: 5,
  }
}
