// A slider along a ladder, with an input for the value next to it.

import { parse } from '@ironlaw/units'
import { type ReactNode, useId, useState } from 'react'
import { nearestStep } from './ladder.ts'

export type SliderProps = {
  readonly label: string
  readonly ladder: readonly number[]
  readonly value: number
  readonly shown: string
  /** Undefined if the text is not a value. */
  readonly typed: (text: string) => number | undefined
  readonly onChange: (value: number) => void
}

export function Slider({ label, ladder, value, shown, typed, onChange }: SliderProps): ReactNode {
  const id = useId()
  const [text, setText] = useState<string>()
  const at = nearestStep(ladder, value)
  const commit = (): void => {
    const next = text === undefined ? undefined : typed(text)
    if (next !== undefined) onChange(next)
    setText(undefined)
  }
  return (
    <div className="field slider">
      <label htmlFor={id}>{label}</label>
      <input
        className="slider-value"
        aria-label={`${label}, typed`}
        value={text ?? shown}
        aria-invalid={text !== undefined && typed(text) === undefined}
        onChange={({ target }) => setText(target.value)}
        onFocus={({ target }) => target.select()}
        onBlur={commit}
        onKeyDown={({ key }) => {
          if (key === 'Enter') commit()
          if (key === 'Escape') setText(undefined)
        }}
      />
      <input
        id={id}
        type="range"
        min={0}
        max={ladder.length - 1}
        value={at}
        aria-valuetext={shown}
        style={{ '--filled': `${(100 * at) / Math.max(1, ladder.length - 1)}%` }}
        onChange={({ target }) => onChange(ladder[Number(target.value)] ?? value)}
      />
    </div>
  )
}

/** A whole number of at least one, as typed by users. */
export function parseCount(typed: string): number | undefined {
  const parsed = parse(typed, '1')
  return parsed.ok && parsed.value >= 1 ? Math.round(parsed.value) : undefined
}
