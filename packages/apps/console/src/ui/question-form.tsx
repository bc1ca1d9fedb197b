// The question of a studio: next to the answer if there is room, folded above it otherwise.

import { type ReactNode, useState } from 'react'
import { OpenSpec } from '../specs/open-spec.tsx'
import { RestView } from '../specs/rest-view.tsx'

export type QuestionFormProps = {
  readonly title: string
  readonly summary: string
  /** What an opened spec says beside the controls; absent where the page has no spec. */
  readonly rest?: string
  readonly onRest?: (rest: string) => void
  readonly children: ReactNode
}

export function QuestionForm({ title, summary, rest, onRest, children }: QuestionFormProps): ReactNode {
  const [open, setOpen] = useState(false)
  return (
    <form className={open ? 'controls open' : 'controls'} aria-label="The question" onSubmit={(event) => event.preventDefault()}>
      <h1>{title}</h1>
      <button type="button" className="button controls-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Close the question' : `Change: ${summary}`}
      </button>
      {rest !== undefined && (
        <>
          <OpenSpec />
          <RestView rest={rest} onRemove={() => onRest?.('')} />
        </>
      )}
      {children}
    </form>
  )
}
