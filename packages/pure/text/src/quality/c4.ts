// C4 cleans pages line by line before it judges them: Raffel et al. 2020, section 2.2, and what its published code adds (citations, policies, words of
// more than 1,000 characters). Rules for whole pages look at the lines that are left, so cleaning and judging are one pass.

import { isSentenceEnd } from './characters.ts'

export type C4Options = {
  /** Keep lines that do not end in punctuation, as FineWeb does. */
  readonly anyLineEnd?: boolean
}

export type C4Page = {
  readonly lines: readonly string[]
  /** Counted until there are enough. */
  readonly sentences: number
  readonly loremIpsum: number
  readonly curlyBrackets: number
}

export const LEAST_SENTENCES = 5
const LONGEST_WORD = 1000
const CITATION = /\[(?:\d*|edit|citation needed)\]/g
const POLICY = /terms of use|privacy policy|cookie policy|use(?:s|\sof)? cookies/
/** A part of each phrase, so that most texts are done with after one search. */
const TELLTALE = /javascript|lorem ipsum|terms of use|policy|cookies/i
const THREE_WORDS = /\S\s+\S+\s+\S/

const hasLongWord = (line: string): boolean => line.length > LONGEST_WORD && line.split(/\s+/).some((word) => word.length > LONGEST_WORD)

function endsInPunctuation(line: string): boolean {
  const last = line.at(-1)
  return last === '.' ? !line.endsWith('...') : last === '?' || last === '!' || last === '"' || last === "'"
}

/** Ends of sentences before white space, and one for what follows the last. */
function sentencesIn(line: string): number {
  let count = 1
  for (let i = 0; i < line.length - 1; i += 1) if (line.charCodeAt(i + 1) <= 0x20 && isSentenceEnd(line.charCodeAt(i))) count += 1
  return count
}

/** What is left of a page after the line rules. A page that is only judged is read until the judgement is certain, and has no lines. */
export function c4Page(text: string, { anyLineEnd = false, isJudged = false }: C4Options & { readonly isJudged?: boolean } = {}): C4Page {
  const hasTelltale = TELLTALE.test(text)
  const hasCitation = text.includes('[')
  const isHarmless = isJudged && !hasTelltale && !text.includes('{')
  const lines: string[] = []
  let [sentences, loremIpsum, curlyBrackets] = [0, 0, 0]
  for (let begin = 0, end = 0; begin < text.length; begin = end + 1) {
    if (isHarmless && sentences >= LEAST_SENTENCES) break
    const lineBreak = text.indexOf('\n', begin)
    end = lineBreak < 0 ? text.length : lineBreak
    const trimmed = text.slice(begin, end).trim()
    if (!THREE_WORDS.test(trimmed) || hasLongWord(trimmed)) continue
    const line = hasCitation ? trimmed.replaceAll(CITATION, '') : trimmed
    if (!anyLineEnd && !endsInPunctuation(line)) continue
    const lower = hasTelltale ? line.toLowerCase() : ''
    if (lower.includes('lorem ipsum')) loremIpsum += 1
    if (lower.includes('javascript')) continue
    if (line.includes('{')) curlyBrackets += 1
    if (hasTelltale && POLICY.test(lower)) continue
    if (sentences < LEAST_SENTENCES) sentences += sentencesIn(line)
    if (!isJudged) lines.push(line)
  }
  return { lines, sentences, loremIpsum, curlyBrackets }
}

/** The lines of a page that C4 keeps. */
export const c4Text = (text: string, options: C4Options = {}): string => c4Page(text, options).lines.join('\n').trim()
