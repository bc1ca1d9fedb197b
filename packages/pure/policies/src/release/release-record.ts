// How often the offline verdict about a version predicted what production said about it. A miss was released and rolled back; a false alarm was refused and promoted.

import { type Decision, PERSON_RULE, type ReleaseCount, type ReleaseRecord, type VersionOutcome } from '@ironlaw/contracts/model-registry'
import { shareBounds } from '../evaluation/groups/proportions.ts'
import { versionState } from './version-state.ts'

/** Chance that the truth lies beyond one of the bounds: intervals of 90 %. */
const TAIL = 0.05

export type OfflineDecision = Decision & { readonly answer: VersionOutcome['offline'] }

/** The decision in force when a revision was created; undefined where the version was a candidate or retired by then. */
export function offlineDecision(decisions: readonly Decision[], at: number): OfflineDecision | undefined {
  const before = decisions.filter((each) => each.at <= at)
  const state = versionState(before, at)
  if (state === 'candidate' || state === 'retired') return undefined
  const found = before.filter(({ answer }) => answer === state).toSorted((a, b) => b.number - a.number)[0]
  return found && { ...found, answer: state }
}

/** Whether it rests on anything that others can look at: without that it is somebody's word and no verdict of a suite. */
export const hasEvidence = ({ rule, evidence }: Pick<Decision, 'rule' | 'evidence'>): boolean =>
  rule !== PERSON_RULE || evidence.artifacts.length + evidence.figures.length > 0

/** Rollouts whose end somebody ordered say nothing of what production measured; they are counted apart. */
export function releaseRecord(outcomes: readonly VersionOutcome[]): ReleaseRecord {
  const measured = outcomes.filter(({ ordered_by }) => ordered_by === undefined)
  const countOf = (offline: VersionOutcome['offline']): ReleaseCount => {
    const of = measured.filter((each) => each.offline === offline)
    const promoted = of.filter(({ production }) => production === 'promoted').length
    return { rollouts: of.length, promoted, ...(of.length > 0 && { share: shareBounds({ of: of.length, are: promoted }, TAIL) }) }
  }
  const [released, waived, refused] = [countOf('released'), countOf('waived'), countOf('refused')]
  return {
    released,
    waived,
    refused,
    misses: released.rollouts - released.promoted,
    false_alarms: refused.promoted,
    ordered: outcomes.length - measured.length,
  }
}
