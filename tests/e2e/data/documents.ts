// Which document of the corpus is what: a pure function of the corpus and the number of the document, so nothing has to be stored to know the truth.
// Documents come in blocks of a thousand, each with the same numbers of every kind in an order of its own.

import { hashOf } from './prose.ts'
import { type Language, LANGUAGES } from './vocabulary.ts'

export type Corpus = {
  readonly seed: number
  readonly documents: number
  /** Without records that break the contract: other tools stop at some of them. */
  readonly clean: boolean
}

export const FILE_DOCUMENTS = 10_000
/** Every so manieth file is of the feed, whose source is poisoned; the others are of the web. */
const FEED_EVERY = 8

export const BROKEN = ['missing-text', 'wrong-type', 'too-short', 'not-utf-8', 'broken-json'] as const
const LOW_QUALITY = [
  'few-words',
  'bullet-lines',
  'ellipsis-lines',
  'hashes',
  'short-lines',
  'repeated-lines',
  'no-stop-words',
  'numbers',
  'no-punctuation',
] as const
const PRIVATE = ['email', 'ip', 'phone', 'card', 'api-key'] as const
const DISGUISES = ['verbatim', 'wrapped', 'upper-case', 'inside-a-sentence'] as const
export type Disguise = (typeof DISGUISES)[number]

/** Similarities at which near-duplicates are planted. */
const SIMILARITIES = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95] as const

/** What a document is. Only `words` and `seed` make its text, besides what the kind adds. */
export type Kind =
  | { readonly kind: 'original'; readonly language: Language }
  | { readonly kind: 'copy'; readonly cluster: number }
  | {
      readonly kind: 'near'
      readonly family: number
      readonly changed: boolean
      readonly similarity: number
      readonly how: 'words' | 'appended'
    }
  | { readonly kind: 'contaminated'; readonly item: number; readonly disguise: Disguise }
  | { readonly kind: 'broken'; readonly rule: (typeof BROKEN)[number] }
  | { readonly kind: 'poisoned' }
  | { readonly kind: 'private'; readonly data: (typeof PRIVATE)[number] }
  | { readonly kind: 'low-quality'; readonly rule: (typeof LOW_QUALITY)[number] }

export type PlannedDocument = Kind & {
  readonly id: string
  readonly source: 'web' | 'feed'
  /** Words of the text, before what the kind adds. */
  readonly words: number
  readonly seed: number
}

/** Items of the evaluation that some documents contain. */
export const EVALUATION_ITEMS = 1_000

const BLOCK = 1_000
/** Of a block: how many of each kind; the rest are originals in English. */
const SHARES = { near: 60, copy: 120, foreign: 80, lowQuality: 45, private: 10, contaminated: 4, broken: 3 } as const

const oneOf = <T>(values: readonly T[], random: number): T => values[random % values.length] as T
const idOf = (document: number): string => `d${String(document).padStart(10, '0')}`
export const documentNumber = (id: string): number => Number(id.slice(1))

export const filesOf = ({ documents }: Corpus): number => Math.ceil(documents / FILE_DOCUMENTS)
export const isFeedFile = (file: number): boolean => file % FEED_EVERY === FEED_EVERY - 1
export const fileName = (file: number): string => `${isFeedFile(file) ? 'feed' : 'web'}-${String(file).padStart(5, '0')}.jsonl`

/** In shorter texts chance breaks a rule now and then: of 5 million with 80 words or more, 81 had too few words with letters or no stop word. */
const LEAST_WORDS = 160

/** Mostly some hundred words, sometimes thousands: a product of two even draws, cubed. */
function wordsOf(seed: number): number {
  const even = (hashOf(seed, 1) / 2 ** 32) * (0.5 + hashOf(seed, 2) / 2 ** 33)
  return LEAST_WORDS + Math.floor(307 * even + 3_600 * even ** 6)
}

/** Place of a document in the order of its block: an affine permutation, since 1 to 999 without factors of 10 are invertible. */
function slotOf({ seed }: Corpus, document: number): number {
  const block = Math.floor(document / BLOCK)
  const factor =
    oneOf([1, 3, 7, 9, 11, 13, 17, 19, 21, 23, 27, 29, 31, 33, 37, 39], hashOf(seed, block, 1)) + 40 * (hashOf(seed, block, 2) % 20)
  return (document * factor + hashOf(seed, block, 3)) % BLOCK
}

/** The two documents of a family are half of the corpus apart, in one slot of their blocks. */
function nearKind({ seed, documents }: Corpus, document: number, slot: number): Kind | undefined {
  const half = Math.floor(documents / BLOCK / 2)
  const block = Math.floor(document / BLOCK)
  if (block >= 2 * half) return undefined
  const family = (block % half) * SHARES.near + slot
  const random = hashOf(seed, family, 4)
  return {
    kind: 'near',
    family,
    changed: block >= half,
    similarity: oneOf(SIMILARITIES, random),
    how: random >>> 16 < 0xc000 ? 'words' : 'appended',
  }
}

/** Few clusters have thousands of copies, most have one or two: the cluster is an even draw, cubed. */
function copyKind({ seed, documents }: Corpus, document: number): Kind {
  const clusters = Math.max(1, Math.floor(documents * 0.03))
  return { kind: 'copy', cluster: Math.floor(clusters * (hashOf(seed, document, 5) / 2 ** 32) ** 3) }
}

function kindOf(corpus: Corpus, document: number): Kind {
  const random = hashOf(corpus.seed, document, 6)
  let slot = slotOf(corpus, document)
  const within = (share: number): boolean => {
    slot -= share
    return slot < 0
  }
  const original: Kind = { kind: 'original', language: 'en' }
  if (within(SHARES.near)) return nearKind(corpus, document, slot + SHARES.near) ?? original
  if (within(SHARES.copy)) return copyKind(corpus, document)
  if (within(SHARES.foreign)) return { kind: 'original', language: oneOf(LANGUAGES.slice(1), random) }
  if (within(SHARES.lowQuality)) return { kind: 'low-quality', rule: oneOf(LOW_QUALITY, random) }
  if (within(SHARES.private)) return { kind: 'private', data: oneOf(PRIVATE, random) }
  if (within(SHARES.contaminated))
    return { kind: 'contaminated', item: random % EVALUATION_ITEMS, disguise: oneOf(DISGUISES, random >>> 16) }
  if (within(SHARES.broken)) return corpus.clean ? original : { kind: 'broken', rule: oneOf(BROKEN, random) }
  // One in a thousand of all, and all of them in the feed.
  if (within(FEED_EVERY)) return isFeedFile(Math.floor(document / FILE_DOCUMENTS)) && !corpus.clean ? { kind: 'poisoned' } : original
  return original
}

/** Which text it is, another number for every other text: different numbers have different hashes, however many documents there are. */
function textNumber({ documents }: Corpus, document: number, kind: Kind): number {
  if (kind.kind === 'near') return documents + kind.family
  return kind.kind === 'copy' ? 2 * documents + kind.cluster : document
}

export function plannedDocument(corpus: Corpus, document: number): PlannedDocument {
  const kind = kindOf(corpus, document)
  const seed = hashOf(corpus.seed, textNumber(corpus, document, kind), 9)
  const source = isFeedFile(Math.floor(document / FILE_DOCUMENTS)) ? 'feed' : 'web'
  return { ...kind, id: idOf(document), source, words: wordsOf(seed), seed }
}
