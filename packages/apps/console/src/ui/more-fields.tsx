// Controls that most questions leave as they are, folded away; open from the start where one of them was changed.

import { type ReactNode, useState } from 'react'
import type { Fields, State } from '../address.ts'

export type MoreFieldsProps<F extends Fields> = {
  readonly fields: F
  readonly state: State<F>
  /** The fields that are inside. */
  readonly names: readonly (keyof F)[]
  readonly children: ReactNode
}

export function MoreFields<F extends Fields>({ fields, state, names, children }: MoreFieldsProps<F>): ReactNode {
  const changed = names.filter((name) => state[name] !== fields[name]?.fallback).length
  const [isOpen] = useState(changed > 0)
  return (
    <details className="more" open={isOpen}>
      <summary>More{changed > 0 ? ` (${changed} set)` : ''}</summary>
      {children}
    </details>
  )
}
