// A figure computed by the planner, with its inputs: a derivation without a page in the law book.

import { type Known, type KnownInputs, quantity } from '@ironlaw/units'

export type PlannerFigure<U extends Known['unit']> = {
  readonly value: number
  readonly unit: U
  readonly output: string
  readonly is: string
}

export const plannerFigure = <U extends Known['unit']>({ value, unit, output, is }: PlannerFigure<U>, from: KnownInputs): Known<U> => ({
  value: quantity(value, unit),
  unit,
  by: { kind: 'law', law: `planner/${output}`, output, is, from, outside: [] },
})
