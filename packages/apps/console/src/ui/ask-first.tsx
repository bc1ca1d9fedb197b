// A button for actions that must not happen by accident: a second press confirms.

import { type ReactNode, useState } from 'react'

export type ConfirmButtonProps = {
  readonly children: string
  /** Label of the second press. */
  readonly really: string
  readonly onAgreed: () => void
  readonly disabled?: boolean
}

export function ConfirmButton({ children, really, onAgreed, disabled = false }: ConfirmButtonProps): ReactNode {
  const [asked, setAsked] = useState(false)
  return (
    <button
      type="button"
      className={asked ? 'button asked' : 'button'}
      disabled={disabled}
      onBlur={() => setAsked(false)}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setAsked(false)
      }}
      onClick={() => {
        if (asked) onAgreed()
        setAsked(!asked)
      }}
    >
      {asked ? really : children}
    </button>
  )
}
