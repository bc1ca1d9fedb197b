// The form of a fact file, as data. One description per kind serves three readers: the schema that refuses a
// wrong file, the reader that turns written figures into `Known` values, and the compiler, which derives the
// type of an entry from it. Hand-written types in addition to a schema were rejected: they drift.

import type { BaseUnit, Known, Provenance } from '@ironlaw/units'

/**
 * A quantity as written in a file: `{ "is": "80 GB", "from": "datasheet" }`. `from` names one of the file's sources. What was measured says how
 * far the readings lie apart (one standard deviation, relative) and how many there were.
 */
export type Figure = {
  readonly is: string
  readonly from: string
  readonly note?: string
  readonly spread?: number
  readonly samples?: number
}

/** A sourced sentence or formula, for what is not one number. */
export type Statement = { readonly text: string; readonly by: Provenance }

export type FigureShape<U extends BaseUnit = BaseUnit> = { readonly leaf: 'figure'; readonly unit: U; readonly isSigned?: true }
type StatementShape = { readonly leaf: 'statement' }
type TextShape = { readonly leaf: 'text' }
type YearShape = { readonly leaf: 'year' }
type ChoiceShape<C extends string = string> = { readonly leaf: 'choice'; readonly of: readonly C[] }
type ReferenceShape<R extends string = string> = { readonly leaf: 'reference'; readonly to: R }
type GroupShape<F extends Fields = Fields> = { readonly leaf: 'group'; readonly fields: F }
type Optional<S = unknown> = { readonly optional: S }
export type Fields = { readonly [name: string]: Shape | Optional<Shape> }
export type Shape = FigureShape | StatementShape | TextShape | YearShape | ChoiceShape | ReferenceShape | GroupShape

export const figure = <const U extends BaseUnit>(unit: U): FigureShape<U> => ({ leaf: 'figure', unit })
/** One that may be below zero. */
export const signedFigure = <const U extends BaseUnit>(unit: U): FigureShape<U> => ({ leaf: 'figure', unit, isSigned: true })
export const choice = <const C extends string>(...of: readonly C[]): ChoiceShape<C> => ({ leaf: 'choice', of })
export const reference = <const R extends string>(to: R): ReferenceShape<R> => ({ leaf: 'reference', to })
export const group = <const F extends Fields>(fields: F): GroupShape<F> => ({ leaf: 'group', fields })
export const optional = <const S extends Shape>(shape: S): Optional<S> => ({ optional: shape })
export const statement: StatementShape = { leaf: 'statement' }
export const text: TextShape = { leaf: 'text' }
export const year: YearShape = { leaf: 'year' }

/** A group of which every field has the same form and may be missing, such as peaks by precision. */
export const anyOf = <const N extends string, const S extends Shape>(
  names: readonly N[],
  shape: S,
): GroupShape<{ readonly [K in N]: Optional<S> }> =>
  group(Object.fromEntries(names.map((name) => [name, optional(shape)])) as { readonly [K in N]: Optional<S> })

export const isOptional = (field: Shape | Optional<Shape>): field is Optional<Shape> => 'optional' in field
export const fieldShape = (field: Shape | Optional<Shape>): Shape => (isOptional(field) ? field.optional : field)

type OptionalNames<F> = { [K in keyof F]: F[K] extends Optional ? K : never }[keyof F]
type Flat<T> = { readonly [K in keyof T]: T[K] }

/** What a group of fields reads as: figures become `Known` in their unit. */
export type ReadFields<F extends Fields> = Flat<
  { readonly [K in Exclude<keyof F, OptionalNames<F>>]: ReadShape<F[K]> } & {
    readonly [K in OptionalNames<F>]?: F[K] extends Optional<infer S> ? ReadShape<S> : never
  }
>

type ReadShape<S> =
  S extends FigureShape<infer U>
    ? Known<U>
    : S extends StatementShape
      ? Statement
      : S extends TextShape
        ? string
        : S extends YearShape
          ? number
          : S extends ChoiceShape<infer C>
            ? C
            : S extends ReferenceShape
              ? string
              : S extends GroupShape<infer F>
                ? ReadFields<F>
                : never
