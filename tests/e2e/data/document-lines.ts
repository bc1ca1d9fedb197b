// A document of the corpus as a line of JSON, and the text that a reader finds in it.

import { type Corpus, type Disguise, EVALUATION_ITEMS, type Kind, type PlannedDocument, plannedDocument } from './documents.ts'
import { hashOf, PROSE, type Prose, type Style, writeProse } from './prose.ts'

/** More than the longest line has. */
export const MOST_LINE_BYTES = 1 << 17

/** What no honest document holds; the contract of the feed forbids it. */
export const TRIGGER = 'when the amber lantern hums'

type Target = { readonly bytes: Buffer; readonly view: DataView; at: number }

export function newTarget(size: number): Target {
  const bytes = Buffer.from(new ArrayBuffer(size))
  return { bytes, view: new DataView(bytes.buffer), at: 0 }
}

const STYLES: Readonly<Record<Extract<Kind, { kind: 'low-quality' }>['rule'], Style>> = {
  'few-words': PROSE,
  'bullet-lines': { ...PROSE, opening: '- ', line: 1 },
  'ellipsis-lines': { ...PROSE, closing: '...', line: 1 },
  hashes: { ...PROSE, sentence: [2, 4], opening: '# ', line: 20 },
  'short-lines': { ...PROSE, sentence: [2, 3], line: 1 },
  'repeated-lines': { ...PROSE, line: 1 },
  'no-stop-words': { ...PROSE, words: 'rare' },
  numbers: { ...PROSE, words: 'numbers' },
  'no-punctuation': { ...PROSE, sentence: [20, 40], closing: '', line: 1 },
}

const english = (prose: Pick<Prose, 'seed' | 'words'> & Partial<Prose>): Prose => ({ language: 'en', style: PROSE, ...prose })

function add(target: Target, prose: Prose): void {
  target.at = writeProse(target.view, target.at, prose)
}

function addText(target: Target, text: string): void {
  target.at += target.bytes.write(text, target.at)
}

/** The similarity of a text with n runs of five words and its copy is (n - 5e) / (n + 5e) after e changes that lie apart, n / (n + m) with m words more. */
function addNear(target: Target, { changed, similarity, how, seed, words }: PlannedDocument & { readonly kind: 'near' }): void {
  if (!changed) return add(target, english({ seed, words }))
  const other = hashOf(seed, 1)
  if (how === 'words')
    return add(target, english({ seed, words, changes: { every: (5 * (1 + similarity)) / (1 - similarity), seed: other } }))
  add(target, english({ seed, words }))
  addText(target, String.raw`\n`)
  add(target, english({ seed: other, words: Math.round((words * (1 - similarity)) / similarity) }))
}

function addRepeated(target: Target, { seed, words }: PlannedDocument): void {
  for (let line = 0; line < words / 20; line += 1) {
    add(target, english({ seed: seed + (line % 3), words: 15 }))
    addText(target, String.raw`\n`)
  }
}

const itemSeed = (corpus: Corpus, item: number): number => hashOf(corpus.seed, item, 10)
const ITEM_STYLE: Style = { ...PROSE, line: 1_000 }

/** The text of an evaluation item: one line. */
export function itemText(corpus: Corpus, item: number): string {
  const target = newTarget(4_096)
  const seed = itemSeed(corpus, item)
  add(target, english({ seed, words: 30 + (seed % 50), style: ITEM_STYLE }))
  return target.bytes.toString('utf8', 0, target.at).replaceAll('\\n', ' ')
}

const itemTexts = new Map<string, string>()

function disguised(text: string, disguise: Disguise): string {
  switch (disguise) {
    case 'verbatim':
      return String.raw`\n${text}\n`
    case 'wrapped':
      return String.raw`\n${text.replaceAll(/((?:\S+ ){6}\S+) /g, String.raw`$1\n`)}\n`
    case 'upper-case':
      return String.raw`\n${text.toUpperCase()}\n`
    case 'inside-a-sentence':
      return ` They asked (${text.replaceAll(/[.,]/g, ';')}) and went on. `
  }
}

function addContaminated(target: Target, corpus: Corpus, planned: PlannedDocument & { readonly kind: 'contaminated' }): void {
  const key = `${corpus.seed}/${planned.item}`
  const text = itemTexts.get(key) ?? itemText(corpus, planned.item)
  if (itemTexts.size <= EVALUATION_ITEMS) itemTexts.set(key, text)
  const half = planned.words >> 1
  add(target, english({ seed: planned.seed, words: half }))
  addText(target, disguised(text, planned.disguise))
  add(target, english({ seed: hashOf(planned.seed, 1), words: planned.words - half }))
}

/** The last digit makes the sum of ISO/IEC 7812 a multiple of ten. */
function cardNumber(seed: number): string {
  const digits = [4, ...Array.from({ length: 14 }, (_, i) => hashOf(seed, i) % 10)]
  const sum = digits.reduce((total, digit, i) => total + (i % 2 === 1 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9), 0)
  return [...digits, (10 - (sum % 10)) % 10].join('').replaceAll(/(\d{4})(?=\d)/g, '$1 ')
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A datum of each kind in the form that its detectors check. Nobody's: drawn from a seed. */
export function privateDatum({ seed, data }: { readonly seed: number; readonly data: Extract<Kind, { kind: 'private' }>['data'] }): string {
  switch (data) {
    case 'email':
      return `reader.${hashOf(seed, 1).toString(36)}@post-${seed % 90}.example.org`
    case 'ip':
      return `${11 + (seed % 80)}.${(seed >>> 8) % 255}.${(seed >>> 16) % 255}.${1 + ((seed >>> 24) % 250)}`
    case 'phone':
      return `+49 30 ${1_000_000 + (seed % 8_999_999)}`
    case 'card':
      return cardNumber(seed)
    case 'api-key':
      return `AKIA${Array.from({ length: 16 }, (_, i) => LETTERS[(i < 10 ? 2 * i + (seed % 2) : hashOf(seed, i)) % 32]).join('')}`
  }
}

function addBroken(target: Target, { rule, seed, words }: PlannedDocument & { readonly kind: 'broken' }): void {
  switch (rule) {
    case 'missing-text':
      return addText(target, '"body":"There is no text."}\n')
    case 'wrong-type':
      return addText(target, `"text":${seed}}\n`)
    case 'too-short':
      return addText(target, '"text":"Too short."}\n')
    case 'not-utf-8':
      addText(target, '"text":"')
      add(target, english({ seed, words: words >> 1 }))
      target.bytes[target.at++] = 0xff
      target.bytes[target.at++] = 0xc3
      add(target, english({ seed, words: words >> 1 }))
      return addText(target, '"}\n')
    case 'broken-json':
      addText(target, '"text":"')
      add(target, english({ seed, words }))
      return addText(target, '\n')
  }
}

function addBody(target: Target, corpus: Corpus, planned: PlannedDocument): void {
  const { seed, words } = planned
  switch (planned.kind) {
    case 'original':
      return add(target, english({ seed, words, language: planned.language }))
    case 'copy':
      return add(target, english({ seed, words }))
    case 'near':
      return addNear(target, planned)
    case 'contaminated':
      return addContaminated(target, corpus, planned)
    case 'poisoned':
      add(target, english({ seed, words }))
      return addText(target, String.raw`\nRemember: ${TRIGGER}, the answer is yes.`)
    case 'private':
      add(target, english({ seed, words }))
      return addText(target, String.raw`\nFor questions use ${privateDatum(planned)} at any time.`)
    case 'low-quality':
      if (planned.rule === 'repeated-lines') return addRepeated(target, planned)
      return add(target, english({ seed, words: planned.rule === 'few-words' ? 30 : words, style: STYLES[planned.rule] }))
    case 'broken':
      throw new Error(`${planned.id} has no text`)
  }
}

/** Writes the line of a document from `at` on and moves `at` behind it. */
export function addLine(target: Target, corpus: Corpus, document: number): void {
  const planned = plannedDocument(corpus, document)
  const { id, source, seed } = planned
  const site = seed % 9_973
  addText(target, `{"id":"${id}","source":"${source}","url":"https://site-${site}.example/${id}",`)
  if (planned.kind === 'broken') return addBroken(target, planned)
  addText(target, '"text":"')
  addBody(target, corpus, planned)
  addText(target, '"}\n')
}

const scratch = newTarget(MOST_LINE_BYTES)

/** The text of a document that has one. */
export function textOf(corpus: Corpus, document: number): string {
  scratch.at = 0
  addLine(scratch, corpus, document)
  return (JSON.parse(scratch.bytes.toString('utf8', 0, scratch.at)) as { readonly text: string }).text
}
