// A figure that the planner works out, with what it is worked out from: a derivation without a page in the law book.

import { type Known, type KnownInputs, quantity } from '@ironlaw/units'

export type Planned<U extends Known['unit']> = {
  readonly value: number
  readonly unit: U
  readonly output: string
  readonly is: string
}

export const planned = <U extends Known['unit']>({ value, unit, output, is }: Planned<U>, from: KnownInputs): Known<U> => ({
  value: quantity(value, unit),
  unit,
  by: { kind: 'law', law: `planner/${output}`, output, is, from, outside: [] },
})
