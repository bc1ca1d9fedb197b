// A quantity together with how we know it. `by` is the tree that `ironlaw explain` prints: given by the user,
// taken from a source on a date, or computed by a law from other known quantities.

import { type Quantity, quantity } from './quantity.ts'
import type { BaseUnit } from './unit-table.ts'

export type Known<U extends BaseUnit = BaseUnit> = {
  readonly value: Quantity<U>
  readonly unit: U
  readonly by: Provenance
}

export type Provenance =
  | { readonly kind: 'given' }
  | { readonly kind: 'default' }
  | { readonly kind: 'source'; readonly ref: string; readonly asOf: string }
  | LawApplication

export type LawApplication = {
  readonly kind: 'law'
  readonly law: string
  readonly output: string
  /** The right-hand side of the formula, in the names of `from`. */
  readonly is: string
  readonly from: KnownInputs
  /** Why the inputs lie outside the law's validity; empty when they do not. */
  readonly outside: readonly string[]
  /** For a law composed of laws: the same value as its parts derive it. */
  readonly steps?: Known
}

export type KnownInputs = Readonly<Record<string, Known | readonly Known[]>>

export const givenValue = <U extends BaseUnit>(value: number, unit: U): Known<U> => ({
  value: quantity(value, unit),
  unit,
  by: { kind: 'given' },
})

export const sourcedValue = <U extends BaseUnit>(
  value: number,
  unit: U,
  source: { readonly ref: string; readonly asOf: string },
): Known<U> => ({
  value: quantity(value, unit),
  unit,
  by: { kind: 'source', ...source },
})
