// Whether a version was trained on what it is evaluated with. Items too short to be searched for may have been there as well, so they count
// against passing; and against refusing, they say nothing.

import type { ItemResult } from '@ironlaw/contracts/evaluation-items'
import type { GateFigure } from '@ironlaw/contracts/release-record'
import type { ReleaseGate } from '@ironlaw/contracts/release-spec'
import { shareBounds, type Bounds } from '../evaluation/groups/proportions.ts'
import type { GateRisk } from '../evaluation/judge-difference.ts'
import { meanScore } from '../evaluation/scoring/metric-intervals.ts'
import { finiteFigure, type GateFinding } from './gate-findings.ts'

export type SearchedItems = {
  readonly items: readonly string[]
  readonly short: readonly string[]
  readonly found: readonly { readonly id: string; readonly file: string; readonly document: number }[]
  readonly documents: number
  /** Of an evaluation on them. */
  readonly results?: readonly ItemResult[]
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

export function contaminationFinding(
  searched: SearchedItems,
  { at_most }: Pick<NonNullable<ReleaseGate['contamination']>, 'at_most'>,
  risk: GateRisk,
): GateFinding {
  const { items, short, found, documents } = searched
  const looked = items.length - short.length
  const may = shareBounds({ of: items.length, are: found.length + short.length }, risk.miss)
  const must = shareBounds({ of: looked, are: found.length }, risk.falseBlock)
  const verdict = documents > 0 && may.high <= at_most ? 'as-good' : must.low > at_most ? 'worse' : 'undecided'
  const score = scoresOf(searched)
  return {
    kind: 'contamination',
    verdict,
    why: [whereText(searched, { low: must.low, high: may.high }, at_most), ...(score === undefined ? [] : [score.text])].join('; '),
    wouldChange:
      verdict === 'worse'
        ? 'a model trained without them ("without" of a data spec), or other items'
        : verdict === 'as-good'
          ? `more than ${percent(at_most)} of the items in the data`
          : short.length > 0
            ? 'items of eight words or more'
            : documents === 0
              ? 'the documents that it was trained on'
              : `about ${Math.ceil((items.length * may.high) / at_most)} items, of which so few are found`,
    figures: [
      ...finiteFigure({
        name: 'items in the training data',
        unit: 'share',
        value: found.length / items.length,
        low: must.low,
        high: may.high,
        at_most,
        cases: items.length,
      }),
      ...(score?.figures ?? []),
    ],
  }
}

function whereText({ items, short, found, documents }: SearchedItems, { low, high }: Bounds, at_most: number): string {
  const [first] = found
  const where = first === undefined ? '' : ` (${first.id} in document ${first.document + 1} of ${first.file})`
  const unknown = short.length === 0 ? '' : `, ${short.length} are too short to tell`
  return `${found.length} of ${items.length} items are in ${documents} documents of training data${where}${unknown}; ${percent(low)} to ${percent(high)}, at most ${percent(at_most)} may`
}

type ScoreEvidence = { readonly text: string; readonly figures: readonly GateFigure[] }

/** What the evaluation is worth without them. */
function scoresOf({ found, results }: SearchedItems): ScoreEvidence | undefined {
  if (!results) return undefined
  const ids = new Set(found.map(({ id }) => id))
  const [all, clean] = [meanScore(results), meanScore(results.filter(({ id }) => !ids.has(id)))]
  const scoreText = ({ value, low, high }: typeof all): string => `${percent(value)} (${percent(low)} to ${percent(high)})`
  return {
    text: ids.size === 0 ? `score ${scoreText(all)}` : `score ${scoreText(all)} with them, ${scoreText(clean)} without`,
    figures: [
      ...finiteFigure({ name: 'score', unit: 'share', ...all }),
      ...finiteFigure({ name: 'score without those found', unit: 'share', ...clean }),
    ],
  }
}
