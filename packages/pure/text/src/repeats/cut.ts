// A text without some of its words, each with what separates it from the next: around the cut nothing doubles.

/** Scripts that do not separate words: every character is one. The words of near-duplicates. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`
const WORDS = new RegExp(String.raw`${UNSPACED}|(?:(?!${UNSPACED})[\p{L}\p{M}\p{N}_])+`, 'gu')

/** From a word on, up to another. */
export type WordRange = { readonly from: number; readonly to: number }

type Cut = {
  readonly text: string
  /** How many are left. */
  readonly words: number
  /** The first range, for people. */
  readonly removed: string
}

/** @param ranges of words, ascending and apart from each other; the text that comes back is in canonical composition */
export function withoutWords(text: string, ranges: readonly WordRange[]): Cut {
  const normal = text.normalize('NFC')
  const starts = Array.from(normal.matchAll(WORDS), ({ index }) => index)
  const pieces: string[] = []
  let at = 0
  let removed = 0
  for (const { from, to } of ranges) {
    pieces.push(normal.slice(at, starts[from] ?? normal.length))
    at = starts[to] ?? normal.length
    removed += to - from
  }
  pieces.push(normal.slice(at))
  const [first] = ranges
  return {
    text: pieces.join(''),
    words: starts.length - removed,
    removed: first ? normal.slice(starts[first.from], starts[first.to] ?? normal.length).trimEnd() : '',
  }
}
