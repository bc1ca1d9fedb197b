// Rules of quality for web text, as published. A text fails by the first rule whose measure is outside its limits.
// Gopher: Rae et al. 2021, table A1 (words are separated by white space). C4: Raffel et al. 2020, section 2.2, the rules for whole pages.
// FineWeb: Penedo et al. 2024, section 3.6. Rules of repetition and rules for single lines are not among them.

type TextParts = { readonly text: string; readonly words: readonly string[]; readonly lines: readonly string[] }

type QualityRule = {
  readonly source: 'Gopher' | 'C4' | 'FineWeb'
  readonly measure: (parts: TextParts) => number
  readonly least?: number
  readonly most?: number
}

const share = <T>(items: readonly T[], holds: (item: T) => boolean): number =>
  items.length === 0 ? 0 : items.filter(holds).length / items.length

const occurrences = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

const STOP_WORDS = ['the', 'be', 'to', 'of', 'and', 'that', 'have', 'with']

const meanWordLength = ({ words }: TextParts): number =>
  words.length === 0 ? 0 : words.reduce((sum, word) => sum + word.length, 0) / words.length

/** Characters in lines that were there before, as a share of all. */
function repeatedCharacters({ lines, text }: TextParts): number {
  const seenLines = new Set<string>()
  let repeated = 0
  for (const line of lines) {
    if (seenLines.has(line)) repeated += line.length
    seenLines.add(line)
  }
  return text === '' ? 0 : repeated / text.length
}

export const QUALITY_RULES = {
  'gopher-words': { source: 'Gopher', measure: ({ words }) => words.length, least: 50, most: 100_000 },
  'gopher-mean-word-length': { source: 'Gopher', measure: meanWordLength, least: 3, most: 10 },
  'gopher-hashes-per-word': {
    source: 'Gopher',
    measure: ({ text, words }) => occurrences(text, /#/g) / Math.max(1, words.length),
    most: 0.1,
  },
  'gopher-ellipses-per-word': {
    source: 'Gopher',
    measure: ({ text, words }) => occurrences(text, /\.\.\.|…/g) / Math.max(1, words.length),
    most: 0.1,
  },
  'gopher-bullet-lines': { source: 'Gopher', measure: ({ lines }) => share(lines, (line) => /^\s*[•‣◦*-]/.test(line)), most: 0.9 },
  'gopher-ellipsis-lines': { source: 'Gopher', measure: ({ lines }) => share(lines, (line) => /(?:\.\.\.|…)\s*$/.test(line)), most: 0.3 },
  'gopher-words-with-letters': { source: 'Gopher', measure: ({ words }) => share(words, (word) => /\p{L}/u.test(word)), least: 0.8 },
  'gopher-stop-words': {
    source: 'Gopher',
    measure: ({ words }) => new Set(words.map((word) => word.toLowerCase())).intersection(new Set(STOP_WORDS)).size,
    least: 2,
  },
  'c4-lorem-ipsum': { source: 'C4', measure: ({ text }) => occurrences(text, /lorem ipsum/gi), most: 0 },
  'c4-curly-brackets': { source: 'C4', measure: ({ text }) => occurrences(text, /\{/g), most: 0 },
  'fineweb-lines-with-end': { source: 'FineWeb', measure: ({ lines }) => share(lines, (line) => /[.!?"'”]\s*$/.test(line)), least: 0.12 },
  'fineweb-short-lines': { source: 'FineWeb', measure: ({ lines }) => share(lines, (line) => line.length < 30), most: 0.67 },
  'fineweb-repeated-characters': { source: 'FineWeb', measure: repeatedCharacters, most: 0.1 },
} as const satisfies Record<string, QualityRule>

export type QualityRuleName = keyof typeof QUALITY_RULES

export type QualityFault = { readonly rule: QualityRuleName; readonly measured: number; readonly least?: number; readonly most?: number }

/** The first of the rules that the text fails, with what was measured and the limits; undefined if it passes all. */
export function qualityFault(
  text: string,
  rules: readonly QualityRuleName[] = Object.keys(QUALITY_RULES) as QualityRuleName[],
): QualityFault | undefined {
  const parts = {
    text,
    words: text.split(/\s+/).filter((word) => word !== ''),
    lines: text.split('\n').filter((line) => line.trim() !== ''),
  }
  for (const rule of rules) {
    const { measure, least, most }: QualityRule = QUALITY_RULES[rule]
    const measured = measure(parts)
    if ((least !== undefined && measured < least) || (most !== undefined && measured > most))
      return { rule, measured, ...(least === undefined ? {} : { least }), ...(most === undefined ? {} : { most }) }
  }
  return undefined
}
