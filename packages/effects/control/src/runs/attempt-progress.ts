// How far an attempt has come, by what its agents reported: the one answer that the reconciler decides by and the API shows.

import type { Attempt } from '@ironlaw/contracts'
import type { Vitals } from '@ironlaw/store'

/** The latest step of any agent. The first step is that of the first agent to report, so it stays when another agent becomes the head. */
export function withProgress(attempt: Attempt, vitals: readonly Vitals[]): Attempt {
  if (attempt.state === 'ended') return attempt
  const stepped = vitals.filter((each) => each.last_step !== null).toSorted((a, b) => (b.last_step_at ?? 0) - (a.last_step_at ?? 0))
  const [latest] = stepped
  if (!latest) return attempt
  const firstStepAt = Math.min(...stepped.map((each) => each.first_step_at ?? Infinity))
  return { ...attempt, firstStepAt, lastStep: latest.last_step ?? 0, lastStepAt: latest.last_step_at ?? firstStepAt }
}
