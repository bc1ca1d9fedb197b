// Gates as people write them, on the same scores: what each would have said.

import { normalShareAbove } from '@ironlaw/laws/normal'
import type { PairedScore } from '@ironlaw/policies/evaluation'

export type RivalGate = { readonly name: string; readonly passes: (scores: readonly PairedScore[]) => boolean }

type Averages = { readonly before: number; readonly after: number; readonly items: number }

function averages(scores: readonly PairedScore[]): Averages {
  const items = scores.length
  const total = (of: (score: PairedScore) => number): number => scores.reduce((sum, score) => sum + of(score), 0) / items
  return { before: total(({ before }) => before), after: total(({ after }) => after), items }
}

/** lm-evaluation-harness, scripts/model_comparator.py: the difference over both standard errors as if the items were others, two-sided at 5 %. */
function unpairedTestPasses(scores: readonly PairedScore[]): boolean {
  const { before, after, items } = averages(scores)
  const error = Math.sqrt((before * (1 - before) + after * (1 - after)) / (items - 1))
  return after >= before || error === 0 || 2 * normalShareAbove((before - after) / error) >= 0.05
}

export const RIVAL_GATES: readonly RivalGate[] = [
  {
    name: 'new at least as good as old',
    passes: (scores) => {
      const { before, after } = averages(scores)
      return after >= before
    },
  },
  {
    name: 'at most 1 point below old',
    passes: (scores) => {
      const { before, after } = averages(scores)
      return after >= before - 0.01
    },
  },
  { name: 'unpaired test of lm-evaluation-harness', passes: unpairedTestPasses },
]
