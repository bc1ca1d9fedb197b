// The code within what a model wrote, and what many tries of it say.

import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'

const BLOCK = /^[ \t]*```[^\n`]*\n([\s\S]*?)(?:^[ \t]*```|$(?![\s\S]))/m

/** The first fenced block where there is one, as a chat model answers; else all of it, as a text is continued. */
export function programText({ before }: Pick<EvaluationItem<'program'>, 'before'>, written: string): string {
  const block = BLOCK.exec(written)?.[1]
  return block === undefined ? before + written : `${before}\n${block}`
}

/**
 * Chance that at least one of k tries passes, from more tries than k: 1 less the share of choices of k that all failed. The mean over tries of
 * "one of the first k passed" varies more, and 1 - (1 - share)^k is too low (M. Chen et al., arXiv 2107.03374, section 2.1).
 */
export function passAtK({ tries, passed, k }: { readonly tries: number; readonly passed: number; readonly k: number }): number {
  let noneOf = 1
  for (let failed = tries - passed + 1; failed <= tries; failed += 1) noneOf *= Math.max(0, 1 - k / failed)
  return 1 - noneOf
}
