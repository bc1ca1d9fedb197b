// Choices: one of a list, one of a few.

import { memo, type ReactNode, useId } from 'react'

type Option = { readonly id: string; readonly name: string }

/** Lists are long and rarely change, so they are not rendered again at every move of a slider. */
const Options = memo(({ options }: { readonly options: readonly Option[] }): ReactNode =>
  options.map(({ id, name }) => (
    <option key={id} value={id}>
      {name}
    </option>
  )),
)

const Names = memo(({ names }: { readonly names: readonly string[] }): ReactNode => names.map((name) => <option key={name} value={name} />))

export type SelectProps = {
  readonly label: string
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange: (id: string) => void
}

export function Select({ label, value, options, onChange }: SelectProps): ReactNode {
  const id = useId()
  const missing = options.length > 0 && !options.some((option) => option.id === value)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {(missing || options.length === 0) && <option value={value}>{value}</option>}
        <Options options={options} />
      </select>
    </div>
  )
}

export type SegmentsProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: readonly T[]
  readonly onChange: (value: T) => void
}

export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>): ReactNode {
  const name = useId()
  return (
    <fieldset className="field segments">
      <legend>{label}</legend>
      <div className="segments-row">
        {options.map((option) => (
          <label key={option} className={option === value ? 'segment chosen' : 'segment'}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
            {option}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export type ComboProps = Omit<SelectProps, 'options'> & { readonly options: readonly string[] }

/** A list that can be searched by typing. */
export function Combo({ label, value, options, onChange }: ComboProps): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        key={value}
        list={`${id}-list`}
        defaultValue={value}
        spellCheck={false}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => options.includes(target.value) && onChange(target.value)}
        onBlur={({ target }) => {
          if (target.value !== value) onChange(target.value)
        }}
      />
      <datalist id={`${id}-list`}>
        <Names names={options} />
      </datalist>
    </div>
  )
}
