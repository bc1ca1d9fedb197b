import { type ReactNode, useId } from 'react'

export type TextFieldProps = {
  readonly label: string
  readonly value: string
  readonly hint?: string
  readonly placeholder?: string
  /** Why the value cannot be used; empty when it can. */
  readonly problem?: string
  readonly onChange: (value: string) => void
}

export function TextField({ label, value, hint = '', placeholder, problem = '', onChange }: TextFieldProps): ReactNode {
  const id = useId()
  const note = problem || hint
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={problem !== ''}
        aria-describedby={note === '' ? undefined : `${id}-note`}
        onChange={({ target }) => onChange(target.value)}
      />
      {note !== '' && (
        <span id={`${id}-note`} className={problem === '' ? 'note' : 'note problem'}>
          {note}
        </span>
      )}
    </div>
  )
}
