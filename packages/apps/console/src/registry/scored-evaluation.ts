// An evaluation as its facts tell it, which `ironlaw artifact add` reads from its evaluation.json: a list needs no file of any.

import type { ModelView } from '@ironlaw/contracts/model-registry'
import { shortId } from './version-words.tsx'

export type ScoredEvaluation = {
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly metric?: string
  readonly score?: { readonly value: number; readonly low: number; readonly high: number }
  readonly count?: number
  /** Digests: two evaluations are compared where both are the same. */
  readonly instrument?: string
  readonly items?: string
}

type EvaluationFacts = Pick<ModelView['evaluations'][number], 'id' | 'names' | 'facts' | 'created_at'>

/** Facts may be stated by hand, so nothing is taken for granted. */
export function scoredEvaluation({ id, names, facts, created_at }: EvaluationFacts): ScoredEvaluation {
  const number = (name: string): number | undefined => (typeof facts[name] === 'number' ? facts[name] : undefined)
  const words = (name: string): string | undefined => (typeof facts[name] === 'string' ? facts[name] : undefined)
  const [value, low, high] = [number('score'), number('score_low'), number('score_high')]
  const [metric, count, instrument, items] = [words('metric'), number('count'), words('instrument'), words('items')]
  return {
    id,
    name: names[0] ?? shortId(id),
    created_at,
    ...(metric !== undefined && { metric }),
    ...(value !== undefined && low !== undefined && high !== undefined && { score: { value, low, high } }),
    ...(count !== undefined && { count }),
    ...(instrument !== undefined && { instrument }),
    ...(items !== undefined && { items }),
  }
}
