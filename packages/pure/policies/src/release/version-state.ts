// The state of a version follows from its decisions; it is stored nowhere.

import type { Decision, DecisionAnswer, VersionState } from '@ironlaw/contracts/model-registry'

export type DecidedAnswer = Pick<Decision, 'number' | 'answer' | 'until_at'>

/**
 * The newest decision counts. A waiver counts until it ends, then the newest one of another kind does; a newer waiver replaces the one before,
 * so the newest decision of each kind is all that this needs.
 */
export function versionState(decisions: readonly DecidedAnswer[], now: number): VersionState {
  const newest = new Map<DecisionAnswer, DecidedAnswer>()
  for (const each of decisions) if (each.number > (newest.get(each.answer)?.number ?? 0)) newest.set(each.answer, each)
  const counting = [...newest.values()].filter(({ until_at }) => until_at === undefined || now < until_at)
  return counting.toSorted((a, b) => b.number - a.number)[0]?.answer ?? 'candidate'
}

/** Whether a version may serve clients where a release is required. */
export const isReleased = (state: VersionState): boolean => state === 'released' || state === 'waived'

/** Answers that let a version serve: what it comes from must be known. */
export const needsFacts = (answer: DecisionAnswer): boolean => isReleased(answer)
