// Similarity of texts by comparing their runs of five words themselves, and what the law of banded signatures says about the pairs that should be
// found. Nothing here is shared with the code under test, not even how words are cut.

const RUN_WORDS = 5
/** Scripts that do not separate words: every character is one. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`
const WORDS = new RegExp(String.raw`${UNSPACED}|(?:(?!${UNSPACED})[\p{L}\p{M}\p{N}_])+`, 'gu')

/** All runs of five words; a shorter text is one run. */
export function runsOf(text: string): Set<string> {
  const words = text.normalize('NFC').toLowerCase().match(WORDS) ?? []
  if (words.length === 0) return new Set()
  const runs = new Set<string>()
  for (let i = 0; i + RUN_WORDS <= words.length; i += 1) runs.add(words.slice(i, i + RUN_WORDS).join(' '))
  return runs.size === 0 ? new Set([words.join(' ')]) : runs
}

export function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let both = 0
  for (const run of small) if (large.has(run)) both += 1
  return both === 0 ? 0 : both / (a.size + b.size - both)
}

type SimilarPair = { readonly a: number; readonly b: number; readonly similarity: number }

/** Runs of each text as numbers in rising order, the rarest runs first: a smaller number is in no more texts than a larger one. */
function rankedRuns(texts: readonly string[]): Float64Array[] {
  const numbers = new Map<string, number>()
  const holders: number[] = []
  const runs = texts.map((text) =>
    Array.from(runsOf(text), (run) => {
      const number = numbers.get(run) ?? numbers.size
      numbers.set(run, number)
      holders[number] = (holders[number] ?? 0) + 1
      return number
    }),
  )
  return runs.map((own) => Float64Array.from(own, (number) => (holders[number] as number) * 2 ** 32 + number).toSorted())
}

const isShared = (rankedRun: number): boolean => rankedRun >= 2 * 2 ** 32

/** As similarityOf, of two lists in order. */
function rankedSimilarity(a: Float64Array, b: Float64Array): number {
  let both = 0
  for (let i = 0, k = 0; i < a.length && k < b.length;) {
    const difference = (a[i] as number) - (b[k] as number)
    if (difference === 0) both += 1
    if (difference <= 0) i += 1
    if (difference >= 0) k += 1
  }
  return both === 0 ? 0 : both / (a.length + b.length - both)
}

/**
 * Every pair of texts at least this similar. Two such texts share one of the rarest runs of each, so many as leave fewer than `least` of the
 * others: only texts that do are compared (Chaudhuri et al. 2006, prefix filter), and none is missed.
 */
export function similarPairs(texts: readonly string[], least: number): SimilarPair[] {
  const runs = rankedRuns(texts)
  const holders = new Map<number, number[]>()
  const pairs: SimilarPair[] = []
  for (const [b, own] of runs.entries()) {
    const candidates = new Set<number>()
    for (const run of own.subarray(0, own.length - Math.ceil(least * own.length) + 1)) {
      if (!isShared(run)) continue
      const others = holders.get(run) ?? []
      for (const a of others) candidates.add(a)
      others.push(b)
      holders.set(run, others)
    }
    for (const a of candidates) {
      const similarity = rankedSimilarity(runs[a] as Float64Array, own)
      if (similarity >= least) pairs.push({ a, b, similarity })
    }
  }
  return pairs
}

export type BandShape = { readonly bands: number; readonly rows: number }

/** Two texts of similarity s share at least one of the bands with probability 1 - (1 - s^rows)^bands. */
export const lawOf = (similarity: number, { bands, rows }: BandShape): number => 1 - (1 - similarity ** rows) ** bands

export type Finding = { readonly similarity: number; readonly found: boolean }

type RecallBin = {
  readonly from: number
  readonly pairs: number
  readonly found: number
  /** Mean of the law over the pairs. */
  readonly law: number
  /** How far the found share may be from the law by chance, three standard errors. */
  readonly chance: number
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

function binOf(from: number, findings: readonly Finding[], shape: BandShape): RecallBin {
  const laws = findings.map(({ similarity }) => lawOf(similarity, shape))
  return {
    from,
    pairs: findings.length,
    found: meanOf(findings.map(({ found }) => Number(found))),
    law: meanOf(laws),
    chance: 3 * Math.sqrt(meanOf(laws.map((law) => law * (1 - law))) / Math.max(1, findings.length)),
  }
}

const BIN = 0.05

/** Found share against the law, by similarity in steps of 0.05. */
export function recallBins(findings: readonly Finding[], shape: BandShape): RecallBin[] {
  const byBin = Map.groupBy(findings, ({ similarity }) => Math.min(19, Math.floor(similarity / BIN + 1e-9)))
  return [...byBin].toSorted(([a], [b]) => a - b).map(([bin, own]) => binOf(bin * BIN, own, shape))
}

/** All pairs as one bin. */
export const recallOf = (findings: readonly Finding[], shape: BandShape): RecallBin => binOf(0, findings, shape)

type Precision = {
  readonly found: number
  readonly law: number
  readonly pairs: number
  /** As of a bin of recall. */
  readonly chance: number
}

/** Of the pairs found, the share that is at least so similar, and what the law expects of these pairs. */
export function precisionOf(findings: readonly Finding[], shape: BandShape & { readonly least: number }): Precision {
  const isAlike = ({ similarity }: Finding): boolean => similarity >= shape.least
  const hits = findings.filter(({ found }) => found)
  const expected = (of: readonly Finding[]): number => of.reduce((sum, { similarity }) => sum + lawOf(similarity, shape), 0)
  const law = expected(findings) === 0 ? 1 : expected(findings.filter(isAlike)) / expected(findings)
  return {
    found: hits.length === 0 ? 1 : hits.filter(isAlike).length / hits.length,
    law,
    pairs: hits.length,
    chance: 3 * Math.sqrt((law * (1 - law)) / Math.max(1, hits.length)),
  }
}
