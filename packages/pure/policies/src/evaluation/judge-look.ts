// The verdict of an evaluation that looks while it runs.

import type { EvaluationVerdict, GateRule } from './judge-difference.ts'
import type { PairedDifference } from './paired-scores.ts'
import { type Look, lookBounds, spentBy } from './sequential-design.ts'

/** So few differing items say nothing yet about how many differ. */
const LEAST_DIFFERING = 5

/** Information at which the risks are to be spent in full, and looks that have been taken and went on. */
export type Looking = { readonly rule: GateRule; readonly most: number; readonly earlier: readonly Look[] }

export type LookJudgement = { readonly verdict: EvaluationVerdict; readonly look: Look | undefined }

/** Items over the variance of a difference, with one more item supposed to differ than did: early luck is not taken for certainty. */
export const informationOf = ({ items, variance }: PairedDifference): number => items / (variance + 1 / Math.max(1, items))

/** Whether to stop. The last look spends what is left, whatever was planned; a look that learnt too little is not taken and costs nothing. */
export function judgeLook(seen: PairedDifference, { rule, most, earlier }: Looking, isLast = false): LookJudgement {
  const information = informationOf(seen)
  const isTooEarly = seen.variance * seen.items < LEAST_DIFFERING && !isLast
  if (isTooEarly || information <= (earlier.at(-1)?.information ?? 0)) return { verdict: 'undecided', look: undefined }
  const look = { information, spent: isLast ? 1 : spentBy(information, most) }
  const bounds = lookBounds([...earlier, look], rule)[earlier.length]
  if (bounds === undefined) return { verdict: 'undecided', look }
  const z = seen.mean * Math.sqrt(information)
  return { verdict: z > bounds.asGood ? 'as-good' : z < bounds.worse ? 'worse' : 'undecided', look }
}
