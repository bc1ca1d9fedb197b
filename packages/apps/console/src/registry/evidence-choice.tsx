// Which evaluations of the version a decision rests on.

import type { ModelView } from '@ironlaw/contracts/model-registry'
import type { ReactNode } from 'react'
import { showAgo } from '../runs/run-words.tsx'
import { shortId } from './version-words.tsx'

/** Older ones are named on the command line. */
const MOST = 8

type EvidenceChoiceProps = {
  readonly evaluations: ModelView['evaluations']
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

export const EvidenceChoice = ({ evaluations, chosen, onChange }: EvidenceChoiceProps): ReactNode =>
  evaluations.length > 0 && (
    <fieldset className="evidence">
      <legend>Evidence</legend>
      {evaluations.slice(0, MOST).map(({ id, names, created_at }) => (
        <label key={id} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ target }) => onChange(target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
          <span className="long">
            {names[0] ?? <code>{shortId(id)}</code>} <span className="quiet">{showAgo(created_at)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
