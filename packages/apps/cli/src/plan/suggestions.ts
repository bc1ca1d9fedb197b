// Sizes near the given ones that would be much better, each found by a separate search.

import type { Catalog } from '@ironlaw/catalog'
import { nearMisses, planningSteps, type Suggestion, suggestionOf, type TrainingAnswer } from '@ironlaw/planner'
import { progressLine } from '../progress.ts'
import { searchInPool } from './search-pool.ts'

export async function searchSuggestions(catalog: Catalog, answer: TrainingAnswer): Promise<readonly Suggestion[]> {
  const { machine } = answer.request
  const suggestions: Suggestion[] = []
  for (const miss of nearMisses(answer.request)) {
    const line = progressLine('strategies tried')
    const steps = planningSteps(catalog, machine, { ...miss.wanted, keep: 1 })
    const near = await searchInPool({ machine, job: miss.wanted.job }, steps, { progress: line.tick }).finally(line.clear)
    const suggestion = suggestionOf(answer, miss, near)
    if (suggestion) suggestions.push(suggestion)
  }
  return suggestions
}
