// A button for what should not happen by accident: it asks, and another press means it.

import { type ReactNode, useState } from 'react'

export type ConfirmButtonProps = {
  readonly children: string
  /** What the second press says. */
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
