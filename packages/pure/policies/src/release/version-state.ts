// The state of a version follows from its decisions; it is stored nowhere.

import { type Decision, type DecisionAnswer, STATE_DECISIONS, type VersionState } from '@ironlaw/contracts/model-registry'

export type DecidedAnswer = Pick<Decision, 'number' | 'answer' | 'until_at'>

/**
 * The newest decision counts that is no approval. A waiver counts until it ends, then the newest one of another kind does; a newer waiver replaces the one before,
 * so the newest decision of each kind is all that this needs.
 */
export function versionState(decisions: readonly DecidedAnswer[], now: number): VersionState {
  const newest = STATE_DECISIONS.flatMap((answer) => {
    const last = decisions.filter((each) => each.answer === answer).toSorted((a, b) => b.number - a.number)[0]
    return last ? [{ ...last, answer }] : []
  })
  const counting = newest.filter(({ until_at }) => until_at === undefined || now < until_at)
  return counting.toSorted((a, b) => b.number - a.number)[0]?.answer ?? 'candidate'
}

/** Whether a version may serve clients where a release is required. */
export const isReleased = (state: VersionState): boolean => state === 'released' || state === 'waived'

/** Answers that let a version serve: what it comes from must be known, and approved where the project needs that. */
export const needsFacts = (answer: DecisionAnswer): boolean => answer === 'released' || answer === 'waived'
