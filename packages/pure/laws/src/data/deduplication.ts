// Near-duplicates at the size of a corpus: what a probe by anchors misses of them, what bands find and miss, and what the work takes.

import { count, list, law, one, or } from '../law.ts'

const ANCHORS =
  'derived: A. Broder, On the resemblance and containment of documents, 1997 (the smallest hash of two sets is the same with their similarity as probability), for documents that share a core and each have text of their own'
const LAYOUT = "the layout of Ironlaw's intermediate files"

export const nearDuplicateWeight = law({
  id: 'data/near-duplicate-weight',
  name: 'What a near-duplicate found in a sample by anchors counts',
  decides: 'how many near-duplicates a corpus has, from a probe that sees only those with the same anchor',
  is: 'text: (found - 1) / (found * q - 1 + p) with q = 2 s / (1 + s), the chance that an anchor lies in the core, and p = product over j = 1..found of j o / (1 + j o), o = (1 - s) / (2 s), the chance that none does',
  source: ANCHORS,
  validity:
    'found documents share an anchor at the mean similarity given; two of them count exactly 1 / similarity, many about (1 + s) / 2 s',
  inputs: { similarity: one('1', { least: 0.01, most: 1 }), found: one('1', { least: 2 }) },
  output: 'weight',
  unit: '1',
  of: ({ similarity, found }) => {
    const own = (1 - similarity) / (2 * similarity)
    let none = 1
    for (let document = 1; document <= found && none > 1e-12; document += 1) none *= (document * own) / (1 + document * own)
    return (found - 1) / ((2 * similarity * found) / (1 + similarity) - 1 + none)
  },
})

export const minhashFoundPairs = law({
  id: 'data/minhash-found-pairs',
  name: 'Pairs that banded MinHash finds and misses',
  decides: 'bands and rows: what is left in as a duplicate, and what is dropped without being one',
  is: 'sum(pairs * (1 - (1 - similarity^rowsPerBand)^bands))',
  source: 'J. Leskovec, A. Rajaraman, J. D. Ullman, Mining of Massive Datasets, chapter 3, summed over the similarities of a corpus',
  validity:
    'below the similarity from which pairs are near-duplicates, found is the number of false hits; from it on, missed that of misses',
  inputs: { similarity: list('1', { most: 1 }), pairs: list('1'), rowsPerBand: count, bands: count },
  output: 'found',
  unit: '1',
  of: ({ similarity, pairs, rowsPerBand, bands }) =>
    pairs.reduce((sum, each, bin) => sum + each * (1 - (1 - (similarity[bin] ?? 0) ** rowsPerBand) ** bands), 0),
  also: {
    missed: {
      unit: '1',
      is: 'sum(pairs * (1 - similarity^rowsPerBand)^bands)',
      of: ({ similarity, pairs, rowsPerBand, bands }) =>
        pairs.reduce((sum, each, bin) => sum + each * (1 - (similarity[bin] ?? 0) ** rowsPerBand) ** bands, 0),
    },
  },
})

export const dedupDisk = law({
  id: 'data/dedup-disk',
  name: 'Intermediate files of near-duplicate removal',
  decides: 'whether band keys fit on disk, or fewer bands must do',
  is: 'documents * (keys * entryBytes + documentBytes) + edges * edgeBytes + removed * removedBytes',
  source: LAYOUT,
  validity: 'one key a band, or one of the whole content; each is stored with the number of its document and without compression',
  inputs: {
    documents: one('1'),
    keys: count,
    edges: one('1'),
    removed: one('1'),
    entryBytes: or('B', 12),
    documentBytes: or('B', 13),
    edgeBytes: or('B', 8),
    removedBytes: or('B', 8),
  },
  output: 'disk',
  unit: 'B',
  of: ({ documents, keys, edges, removed, entryBytes = 12, documentBytes = 13, edgeBytes = 8, removedBytes = 8 }) =>
    documents * (keys * entryBytes + documentBytes) + edges * edgeBytes + removed * removedBytes,
  also: {
    keyBytes: {
      unit: 'B',
      is: 'documents * keys * entryBytes',
      of: ({ documents, keys, entryBytes = 12 }) => documents * keys * entryBytes,
    },
    edgeFiles: { unit: 'B', is: 'edges * edgeBytes', of: ({ edges, edgeBytes = 8 }) => edges * edgeBytes },
  },
})

export const dedupMemory = law({
  id: 'data/dedup-memory',
  name: 'Memory of the process that joins near-duplicates',
  decides: 'on which machine a corpus can be clustered at all',
  is: 'base + documents * documentBytes + edges * edgeBytes',
  source: LAYOUT,
  validity: 'a document has its group, its place in the order of contents and the one that is kept; all edges are held at once',
  inputs: { documents: one('1'), edges: one('1'), documentBytes: or('B', 17), edgeBytes: or('B', 8), base: or('B', 0) },
  output: 'memory',
  unit: 'B',
  of: ({ documents, edges, documentBytes = 17, edgeBytes = 8, base = 0 }) => base + documents * documentBytes + edges * edgeBytes,
})
