// Sizes near the requested ones that would be much better, each a button.

import type { Suggestion } from '@ironlaw/planner'
import { memo, type ReactNode } from 'react'
import type { TrainingState } from './question.ts'

/** The control that holds each field of a spec. */
const CONTROL = { globalBatch: 'batch', sequence: 'sequence' } as const

export type SuggestionsViewProps = {
  readonly suggestions: readonly Suggestion[]
  readonly onTake: (part: Partial<TrainingState>) => void
}

export const SuggestionsView = memo(
  ({ suggestions, onTake }: SuggestionsViewProps): ReactNode =>
    suggestions.length > 0 && (
      <ul className="suggestions" aria-label="Better sizes nearby">
        {suggestions.map(({ field, to, text }) => (
          <li key={field}>
            <span>
              <strong>Nearby and better:</strong> {text}
            </span>
            <button type="button" className="button" onClick={() => onTake({ [CONTROL[field]]: to, rank: 0 })}>
              Use {to.toLocaleString('en')}
            </button>
          </li>
        ))}
      </ul>
    ),
)
