// What an opened spec says beside the controls, so that nothing acts on the plan unseen.

import type { ReactNode } from 'react'
import { readRest } from './spec-rest.ts'

export type RestViewProps = { readonly rest: string; readonly onRemove: () => void }

export function RestView({ rest, onRemove }: RestViewProps): ReactNode {
  if (rest === '') return undefined
  const fields = Object.entries(readRest(rest) ?? {})
  return (
    <div className="spec-rest">
      <p className="note">{fields.length === 0 ? 'The rest of the spec cannot be read.' : 'From your spec, beside the controls:'}</p>
      <ul>
        {fields.map(([path, value]) => (
          <li key={path}>
            <code>{value === null ? `${path} left out` : `${path}: ${typeof value === 'string' ? value : JSON.stringify(value)}`}</code>
          </li>
        ))}
      </ul>
      <button type="button" className="link" onClick={onRemove}>
        Remove these
      </button>
    </div>
  )
}
