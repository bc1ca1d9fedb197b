// The verdict of an evaluation that may stop before all items were asked.

import { type DifferenceJudgement, type GateRule, judgeDifference } from './judge-difference.ts'
import type { PairedDifference } from './paired-scores.ts'
import { LEAST_DIFFERING, STAGES, stageLevels } from './sequential-design.ts'

/**
 * As any comparison, at the level of the stage: right and wrong by the variance that they would have if the model were equal, or worse by the
 * margin (Tango's interval), since the items that show a difference may by luck show too little variance; other scores by Student's t.
 */
export function stageJudge({ margin, risk }: GateRule, stage: number): (seen: PairedDifference) => DifferenceJudgement {
  const levelOf = (whole: number): number => stageLevels(whole)[stage - 1] as number
  const rule = { margin, risk: { falseBlock: levelOf(risk.falseBlock), miss: levelOf(risk.miss) } }
  return (seen) => {
    const judged = judgeDifference(seen, rule)
    return stage < STAGES && seen.differing < LEAST_DIFFERING ? { ...judged, verdict: 'undecided' } : judged
  }
}
