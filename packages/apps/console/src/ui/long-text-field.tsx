import { type ReactNode, useId } from 'react'

type LongTextFieldProps = {
  readonly label: string
  readonly value: string
  readonly hint?: string
  readonly onChange: (value: string) => void
}

/** What may take a few sentences. */
export function LongTextField({ label, value, hint = '', onChange }: LongTextFieldProps): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={2}
        maxLength={2000}
        value={value}
        aria-describedby={hint === '' ? undefined : `${id}-note`}
        onChange={({ target }) => onChange(target.value)}
      />
      {hint !== '' && (
        <span id={`${id}-note`} className="note">
          {hint}
        </span>
      )}
    </div>
  )
}
