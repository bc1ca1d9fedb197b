// Scores age: the model that they were made with is not the one that is trained on. Whether that matters is measured, by how much of the selection a
// later scoring would keep; how often scoring again is affordable is the rule of a tenth (`data/rescoring-limit`).

import type { ScoredSample } from './coreset.ts'

/** Below this the two scorings select different data. Judgement: a tenth of the samples replaced. */
const LEAST_AGREEMENT = 0.9

export type Staleness = {
  /** Share of the earlier selection that the later one keeps. */
  readonly agreement: number
  /** What two random selections of this size from the pool would share. */
  readonly byChance: number
  readonly isStale: boolean
}

export function scoreStaleness(
  earlier: readonly Pick<ScoredSample, 'id'>[],
  later: readonly Pick<ScoredSample, 'id'>[],
  pool: number,
): Staleness {
  const kept = new Set(later.map(({ id }) => id))
  const both = earlier.filter(({ id }) => kept.has(id)).length
  const agreement = earlier.length === 0 ? 1 : both / earlier.length
  return { agreement, byChance: pool > 0 ? later.length / pool : 0, isStale: agreement < LEAST_AGREEMENT }
}

export type ScoreAge = {
  /** Epochs of training since the scores were made. */
  readonly epochs: number
  /** Samples that came to the pool since: they have no score. */
  readonly unscored: number
}

export type RescoringAdvice = { readonly rescore: false } | { readonly rescore: true; readonly why: readonly string[] }

/** Epochs that scores may be apart when training lasts `epochs` and the pool may be scored `scorings` times in all. */
export const rescoringInterval = (epochs: number, scorings: number): number => (scorings < 1 ? Infinity : epochs / Math.floor(scorings))

/** A pool that grew by more than this was not selected from. */
const MOST_UNSCORED = 0.05

export function rescoringAdvice(age: ScoreAge, { every, pool }: { readonly every: number; readonly pool: number }): RescoringAdvice {
  const why: string[] = []
  if (age.epochs >= every) why.push(`scores are ${age.epochs} epochs old, and may be made again every ${every}`)
  if (age.unscored > MOST_UNSCORED * pool) why.push(`${age.unscored} of ${pool} samples have no score`)
  return why.length === 0 ? { rescore: false } : { rescore: true, why }
}
