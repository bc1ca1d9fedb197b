// The answer within what a model wrote, and whether it is right.

import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'

type AnswerItem = Pick<EvaluationItem<'answer'>, 'answers' | 'extract' | 'fallback' | 'match' | 'ignore'>

export function isRightAnswer(item: AnswerItem, written: string): boolean {
  const said = extractedAnswer(item, written)
  return item.answers.some((answer) => isMatch(item, said, answer))
}

/** The match of the first pattern that is found, without the spaces around it; all that was written where no pattern is given. */
export function extractedAnswer({ extract, fallback }: Pick<AnswerItem, 'extract' | 'fallback'>, written: string): string {
  if (extract.length === 0) return written
  for (const { pattern, which } of extract) {
    const match = [...written.matchAll(new RegExp(pattern, 'g'))].at(which)
    if (match) return groupOf(match)?.trim() ?? fallback
  }
  return fallback
}

/** As Python's `findall` with lm-evaluation-harness's choice among groups: the first that is not empty, all of the match without groups. */
function groupOf(match: RegExpExecArray): string | undefined {
  const [whole, ...groups] = match
  return groups.length === 0 ? whole : groups.length === 1 ? (groups[0] ?? '') : groups.find((group) => group !== undefined && group !== '')
}

function isMatch({ match, ignore }: AnswerItem, said: string, answer: string): boolean {
  const [one, other] = [comparedText(said, ignore), comparedText(answer, ignore)]
  switch (match) {
    case 'exact':
      return one === other
    case 'contains':
      return one.includes(other)
    case 'number':
      return isSameNumber(numberOf(one), numberOf(other))
  }
}

const PUNCTUATION = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g

function comparedText(text: string, ignore: AnswerItem['ignore']): string {
  if (!ignore) return text
  const without = ignore.patterns.reduce((rest, pattern) => rest.replaceAll(new RegExp(pattern, 'g'), ''), text)
  const folded = ignore.case ? without.toLowerCase() : without
  return ignore.punctuation ? folded.replaceAll(PUNCTUATION, '') : folded
}

/** With currency, per cent, separators of thousands and the full stop of a sentence; undefined where it is no number. */
export function numberOf(text: string): number | undefined {
  const digits = text.replaceAll(/[\s$€£¥%,_]/g, '').replace(/\.$/, '')
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(digits) ? Number(digits) : undefined
}

/** Numbers that were rounded in their last digit of double precision are the same. */
const ROUNDING = 1e-9

const isSameNumber = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined && other !== undefined && Math.abs(one - other) <= ROUNDING * Math.max(1, Math.abs(one), Math.abs(other))
