// Rules of quality for English web text, as published. A text fails by the first rule whose measure is outside its limits. Limits and measures are those of
// datatrove 0.10, which made FineWeb; where a paper says otherwise the rule says so. Lines and words are counted in one pass (scan.ts).
// - gopher-quality, gopher-repetition: Rae et al. 2021, section A.1.1.
// - c4: Raffel et al. 2020, section 2.2, on what its line rules leave (c4.ts); c4-any-line-end without the rule that lines end in punctuation.
// - fineweb: Penedo et al. 2024, section 3.6.

import { type C4Page, c4Page, LEAST_SENTENCES } from './c4.ts'
import { repeats } from './lines.ts'
import { type Repetition, repetition } from './repetition.ts'
import { scan, type TextScan } from './scan.ts'

/** What rules measure, each computed when the first rule asks for it. */
type Measured = {
  readonly text: string
  readonly scanned: () => TextScan
  readonly repeats: () => { readonly [part in 'filled' | 'blank' | 'paragraphs']: ReturnType<typeof repeats> }
  readonly repeated: () => Repetition
  readonly c4: (anyLineEnd: boolean) => C4Page
}

type QualityRule = {
  /** Exact where it is outside the limits. */
  readonly measure: (measured: Measured) => number
  readonly least?: number
  readonly most?: number
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1
  return count
}

const mostCommonRun = (n: number, most: number): QualityRule => ({ measure: ({ repeated }) => repeated().mostCommon(n, most), most })
const repeatedRuns = (n: number, most: number): QualityRule => ({ measure: ({ repeated }) => repeated().repeated(n, most), most })

const GOPHER_QUALITY = {
  'gopher-words': { measure: ({ scanned }) => scanned().words, least: 50, most: 100_000 },
  'gopher-mean-word-length': { measure: ({ scanned }) => ratio(scanned().wordCharacters, scanned().words), least: 3, most: 10 },
  'gopher-hashes-per-word': { measure: ({ text, scanned }) => ratio(occurrences(text, '#'), scanned().tokens), most: 0.1 },
  'gopher-ellipses-per-word': {
    measure: ({ text, scanned }) => ratio(scanned().ellipses + occurrences(text, '…'), scanned().tokens),
    most: 0.1,
  },
  'gopher-bullet-lines': { measure: ({ scanned }) => ratio(scanned().lines.bullets, scanned().lines.all), most: 0.9 },
  'gopher-ellipsis-lines': { measure: ({ scanned }) => ratio(scanned().lines.ellipses, scanned().lines.all), most: 0.3 },
  // Of all tokens, punctuation among them.
  'gopher-words-with-letters': { measure: ({ scanned }) => ratio(scanned().tokensWithLetter, scanned().tokens), least: 0.8 },
  'gopher-stop-words': { measure: ({ scanned }) => scanned().stopWords, least: 2 },
} satisfies Record<string, QualityRule>

const GOPHER_REPETITION = {
  'gopher-repeated-paragraphs': {
    measure: ({ scanned, repeats }) => ratio(repeats().paragraphs.count, scanned().lines.paragraphs.hashes.length),
    most: 0.3,
  },
  'gopher-repeated-paragraph-characters': {
    measure: ({ text, repeats }) => ratio(repeats().paragraphs.characters, text.length),
    most: 0.2,
  },
  'gopher-repeated-lines': {
    measure: ({ scanned, repeats }) =>
      ratio(repeats().filled.count + repeats().blank.count, scanned().lines.filled.hashes.length + scanned().lines.blank.hashes.length),
    most: 0.3,
  },
  'gopher-repeated-line-characters': {
    measure: ({ text, repeats }) => ratio(repeats().filled.characters + repeats().blank.characters, text.length),
    most: 0.2,
  },
  'gopher-most-common-2-words': mostCommonRun(2, 0.2),
  'gopher-most-common-3-words': mostCommonRun(3, 0.18),
  'gopher-most-common-4-words': mostCommonRun(4, 0.16),
  'gopher-repeated-5-words': repeatedRuns(5, 0.15),
  'gopher-repeated-6-words': repeatedRuns(6, 0.14),
  'gopher-repeated-7-words': repeatedRuns(7, 0.13),
  'gopher-repeated-8-words': repeatedRuns(8, 0.12),
  'gopher-repeated-9-words': repeatedRuns(9, 0.11),
  'gopher-repeated-10-words': repeatedRuns(10, 0.1),
} satisfies Record<string, QualityRule>

const C4 = {
  'c4-lorem-ipsum': { measure: ({ c4 }) => c4(false).loremIpsum, most: 0 },
  'c4-curly-brackets': { measure: ({ c4 }) => c4(false).curlyBrackets, most: 0 },
  'c4-sentences': { measure: ({ c4 }) => c4(false).sentences, least: LEAST_SENTENCES },
} satisfies Record<string, QualityRule>

const C4_ANY_LINE_END = {
  'c4-any-line-end-lorem-ipsum': { measure: ({ c4 }) => c4(true).loremIpsum, most: 0 },
  'c4-any-line-end-curly-brackets': { measure: ({ c4 }) => c4(true).curlyBrackets, most: 0 },
  'c4-any-line-end-sentences': { measure: ({ c4 }) => c4(true).sentences, least: LEAST_SENTENCES },
} satisfies Record<string, QualityRule>

const FINEWEB = {
  'fineweb-lines-with-end': {
    measure: ({ scanned }) => ratio(scanned().lines.sentenceEnds, scanned().lines.filled.hashes.length),
    least: 0.12,
  },
  'fineweb-short-lines': { measure: ({ scanned }) => ratio(scanned().lines.short, scanned().lines.filled.hashes.length), most: 0.67 },
  // The paper says 0.1; the code that made the dataset has 0.01.
  'fineweb-repeated-characters': {
    measure: ({ scanned, repeats }) => ratio(repeats().filled.characters, scanned().lines.characters),
    most: 0.01,
  },
  // Not in the paper.
  'fineweb-lines-per-word': {
    measure: ({ text, scanned }) => ratio(scanned().lines.all - (text.endsWith('\n') ? 0 : 1), scanned().tokens),
    most: 0.3,
  },
} satisfies Record<string, QualityRule>

const RULE_SETS = {
  'gopher-repetition': GOPHER_REPETITION,
  'gopher-quality': GOPHER_QUALITY,
  c4: C4,
  'c4-any-line-end': C4_ANY_LINE_END,
  fineweb: FINEWEB,
}

export type QualityRuleSet = keyof typeof RULE_SETS

export const QUALITY_RULE_SETS = Object.keys(RULE_SETS) as QualityRuleSet[]

export const QUALITY_RULES = { ...GOPHER_REPETITION, ...GOPHER_QUALITY, ...C4, ...C4_ANY_LINE_END, ...FINEWEB }

export type QualityRuleName = keyof typeof QUALITY_RULES

export type QualityFault = { readonly rule: QualityRuleName; readonly measured: number; readonly least?: number; readonly most?: number }

type NamedRule = readonly [QualityRuleName, QualityRule]

const RULES_BY_NAME = new Map<string, readonly NamedRule[]>([
  ...Object.entries(RULE_SETS).map(([name, rules]) => [name, Object.entries(rules) as NamedRule[]] as const),
  ...(Object.entries(QUALITY_RULES) as NamedRule[]).map((entry) => [entry[0], [entry]] as const),
])

const once = <T>(compute: () => T): (() => T) => {
  let value: T | undefined
  return () => (value ??= compute())
}

function measuredOf(text: string): Measured {
  const scanned = once(() => scan(text))
  const strict = once(() => c4Page(text, { isJudged: true }))
  const lenient = once(() => c4Page(text, { anyLineEnd: true, isJudged: true }))
  const partRepeats = once(() => {
    const { filled, blank, paragraphs } = scanned().lines
    return { filled: repeats(filled), blank: repeats(blank), paragraphs: repeats(paragraphs) }
  })
  return {
    text,
    scanned,
    repeats: partRepeats,
    repeated: once(() => repetition(scanned())),
    c4: (anyLineEnd) => (anyLineEnd ? lenient() : strict()),
  }
}

/**
 * The first of the rules that the text fails, with what was measured and the limits; undefined if it passes all.
 * @param names of sets, or of single rules
 */
export function qualityFault(
  text: string,
  names: readonly (QualityRuleSet | QualityRuleName)[] = QUALITY_RULE_SETS,
): QualityFault | undefined {
  const measured = measuredOf(text)
  for (const name of names) {
    for (const [rule, { measure, least = -Infinity, most = Infinity }] of RULES_BY_NAME.get(name) ?? []) {
      const value = measure(measured)
      if (value >= least && value <= most) continue
      return { rule, measured: value, ...(least === -Infinity ? {} : { least }), ...(most === Infinity ? {} : { most }) }
    }
  }
  return undefined
}
