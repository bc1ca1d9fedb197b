// Lines and paragraphs of a text, as counts and hashes.

import { isSentenceEnd } from './characters.ts'

export type Parts = { readonly hashes: number[]; readonly lengths: number[] }

export type LineCounts = {
  readonly text: string
  /** Where the next line begins. */
  begin: number
  isNewParagraph: boolean
  all: number
  bullets: number
  ellipses: number
  sentenceEnds: number
  short: number
  /** Characters of all lines without line breaks. */
  characters: number
  /** Lines with a token, and lines of white space; empty ones are in neither. */
  readonly filled: Parts
  readonly blank: Parts
  readonly paragraphs: Parts
}

const RETURN = 0x0d
const SHORT = 30
const FNV_PRIME = 0x01000193

const noParts = (): Parts => ({ hashes: [], lengths: [] })

export const noLines = (text: string): LineCounts => ({
  text,
  begin: 0,
  isNewParagraph: true,
  all: 0,
  bullets: 0,
  ellipses: 0,
  sentenceEnds: 0,
  short: 0,
  characters: 0,
  filled: noParts(),
  blank: noParts(),
  paragraphs: noParts(),
})

function addPart({ hashes, lengths }: Parts, hash: number, length: number): void {
  hashes.push(hash)
  lengths.push(length)
}

function lengthenLast({ hashes, lengths }: Parts, hash: number, length: number): void {
  const last = hashes.length - 1
  hashes[last] = Math.imul((hashes[last] as number) ^ hash, FNV_PRIME)
  lengths[last] = (lengths[last] as number) + 1 + length
}

function firstFilled(text: string, begin: number): number {
  let i = begin
  while (text.charCodeAt(i) <= 0x20) i += 1
  return i
}

function lastFilled(text: string, finish: number): number {
  let i = finish - 1
  while (text.charCodeAt(i) <= 0x20) i -= 1
  return i
}

const isBullet = (unit: number): boolean => unit === 0x2d || unit === 0x2022
const isEllipsis = (text: string, last: number): boolean => {
  const unit = text.charCodeAt(last)
  return unit === 0x2026 || (unit === 0x2e && text.startsWith('..', last - 2))
}

/**
 * Adds the next line to the counts. An empty line ends a paragraph, one of white space does not.
 * @param tokenHash of its tokens; with the length of the line it is the line's, so white space counts by its amount only
 */
export function addLine(counts: LineCounts, tokenHash: number, isFilled: boolean): void {
  const { text, begin } = counts
  if (begin >= text.length) return
  const lineBreak = text.indexOf('\n', begin)
  const end = lineBreak < 0 ? text.length : lineBreak
  const finish = end > begin && text.charCodeAt(end - 1) === RETURN ? end - 1 : end
  const length = finish - begin
  const hash = Math.imul(tokenHash ^ length, FNV_PRIME)
  const { isNewParagraph } = counts
  counts.begin = end + 1
  counts.isNewParagraph = length === 0
  counts.all += 1
  counts.characters += length
  if (length === 0) return
  if (isNewParagraph) addPart(counts.paragraphs, hash, length)
  else lengthenLast(counts.paragraphs, hash, length)
  addPart(isFilled ? counts.filled : counts.blank, hash, length)
  if (!isFilled) return
  if (isBullet(text.charCodeAt(firstFilled(text, begin)))) counts.bullets += 1
  if (isEllipsis(text, lastFilled(text, finish))) counts.ellipses += 1
  if (isSentenceEnd(text.charCodeAt(finish - 1))) counts.sentenceEnds += 1
  if (length <= SHORT) counts.short += 1
}

/** Parts that were there before, and their characters. */
export function repeats({ hashes, lengths }: Parts): { readonly count: number; readonly characters: number } {
  const seenParts = new Set<number>()
  let characters = 0
  for (let i = 0; i < hashes.length; i += 1) {
    const before = seenParts.size
    seenParts.add(hashes[i] as number)
    if (seenParts.size === before) characters += lengths[i] as number
  }
  return { count: hashes.length - seenParts.size, characters }
}
