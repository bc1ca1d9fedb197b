// What a code unit is to the rules of quality, and where tokens begin and end. Tokens follow the word splitters of the published pipelines (NLTK and
// spaCy, English) as far as four characters in a row tell:
// - letters, marks and numbers make words. A single character of punctuation between two of them joins, except a hyphen or a comma between
//   letters, and : / < > = before a letter; :// joins;
// - an apostrophe before a letter begins a token: don | 't; so do hyphens at the beginning: --all;
// - a run of dots or of hyphens is one token, every other character one of its own.

const SPACE = 0
const LETTER = 1
/** Numbers, marks and halves of code points beyond 16 bits: part of a word, but no letters. */
const NUMBER = 2
/** Neither punctuation nor part of a word, such as ©: a word of its own. */
const SYMBOL = 3
/** Punctuation, ASCII symbols and control characters: a token, but no word. */
const PUNCTUATION = 4
const DOT = 5
const COMMA = 6
const HYPHEN = 7
const APOSTROPHE = 8
const COLON = 9
const SLASH = 10
const RELATION = 11
const LINE_BREAK = 12

const KINDS: readonly (readonly [number, RegExp])[] = [
  [DOT, /^\.$/],
  [COMMA, /^,$/],
  [HYPHEN, /^-$/],
  [APOSTROPHE, /^['’]$/],
  [COLON, /^:$/],
  [SLASH, /^\/$/],
  [RELATION, /^[<=>]$/],
  [LINE_BREAK, /^\n$/],
  [SPACE, /^\s$/],
  [LETTER, /^\p{L}$/u],
  [NUMBER, /^[\p{N}\p{M}\p{Cs}]$/u],
  [PUNCTUATION, /^[\p{P}\p{Cc}$+<=>^`|~]$/u],
]

const isWord = (kind: number): boolean => kind === LETTER || kind === NUMBER

/** Whether a character between two others continues a word. */
function joins(before: number, kind: number, after: number): boolean {
  if (!isWord(before) || !isWord(after)) return kind === COLON && isWord(before) && after === SLASH
  if (kind === COMMA || kind === HYPHEN) return before === NUMBER || after === NUMBER
  if (kind === COLON || kind === SLASH || kind === RELATION) return after === NUMBER
  return kind === DOT || kind === PUNCTUATION
}

/** Whether a token goes on from the second to the third of four characters in a row. */
function goesOn([first, second, third, fourth]: readonly [number, number, number, number]): boolean {
  if (isWord(second)) return isWord(third) || joins(second, third, fourth)
  if (isWord(third)) {
    if (second === APOSTROPHE) return third === LETTER
    if (second === HYPHEN && (first === SPACE || first === HYPHEN)) return true
    return joins(first, second, third) || (first === SLASH && second === SLASH)
  }
  if (third === SLASH) return (first !== SPACE && second === COLON && fourth === SLASH) || (first === COLON && second === SLASH)
  return second === third && (second === DOT || second === HYPHEN)
}

export const STARTS = 1
export const IS_SPACE = 2
export const HAS_LETTER = 4
/** Not punctuation. */
export const IS_WORD = 8
export const IS_LINE_BREAK = 16

/** What the third of four characters is to its token. */
function roleOf(kinds: readonly [number, number, number, number]): number {
  const third = kinds[2]
  if (third === SPACE) return IS_SPACE
  if (third === LINE_BREAK) return STARTS | IS_LINE_BREAK
  const role = third === LETTER ? HAS_LETTER | IS_WORD : isWord(third) || third === SYMBOL ? IS_WORD : 0
  return goesOn(kinds) ? role : role | STARTS
}

export type Characters = {
  /** By code unit: its kind, below 16. */
  readonly kinds: Uint8Array
  /** By the kinds of four characters in a row, the last in the lowest four bits: what the third is to its token. */
  readonly roles: Uint8Array
}

let characters: Characters | undefined

export function characterTables(): Characters {
  characters ??= {
    kinds: Uint8Array.from({ length: 0x10000 }, (_, unit) => {
      const character = String.fromCharCode(unit)
      return KINDS.find(([, pattern]) => pattern.test(character))?.[0] ?? SYMBOL
    }),
    roles: Uint8Array.from({ length: 0x10000 }, (_, four) => roleOf([four >> 12, (four >> 8) & 15, (four >> 4) & 15, four & 15])),
  }
  return characters
}

/** Ends a sentence in any script; quotation marks do not. */
export const isSentenceEnd = (unit: number): boolean =>
  unit < 0x80 ? unit === 0x2e || unit === 0x21 || unit === 0x3f : /\p{Sentence_Terminal}/u.test(String.fromCharCode(unit))
