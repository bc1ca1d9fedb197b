// A law is a record around one pure function of named numbers, all in base units (units package). Search calls
// `law.of` and pays for a function call; an answer calls `explain` (explain.ts), which applies the same function to
// known quantities and returns the value with its derivation.
//
// Figures that the same inputs also decide stand under `also`; each may use the law's own result. A law composed of
// laws gives `via` instead of `of`: one body, run on bare numbers by the search and on known quantities by `explain`.

import type { BaseUnit, Known, Quantity } from '@ironlaw/units'

export type Input<U extends BaseUnit = BaseUnit> = {
  readonly unit: U
  readonly kind: 'one' | 'optional' | 'list'
  /** What an omitted input counts as; absent where the law itself behaves differently without it. */
  readonly fallback?: number
  readonly least: number
  readonly most: number
}

type Range = { readonly least?: number; readonly most?: number }
type One<U extends BaseUnit> = Input<U> & { readonly kind: 'one' }
type Optional<U extends BaseUnit> = Input<U> & { readonly kind: 'optional' }
type List<U extends BaseUnit> = Input<U> & { readonly kind: 'list' }

/** A required input, at least zero unless a range says otherwise. */
export const one = <U extends BaseUnit>(unit: U, { least = 0, most = Infinity }: Range = {}): One<U> => ({ unit, kind: 'one', least, most })
/** An input that may be left out; the function's destructuring default must equal `fallback` (a test holds them equal). */
export const or = <U extends BaseUnit>(unit: U, fallback: number, { least = 0, most = Infinity }: Range = {}): Optional<U> => ({
  unit,
  kind: 'optional',
  fallback,
  least,
  most,
})
/** An input that may be left out, and whose absence the law treats as a case of its own. */
export const maybe = <U extends BaseUnit>(unit: U, { least = 0, most = Infinity }: Range = {}): Optional<U> => ({
  unit,
  kind: 'optional',
  least,
  most,
})
/** Several values of one unit; the golden tables write them name1, name2, ... */
export const list = <U extends BaseUnit>(unit: U, { least = 0, most = Infinity }: Range = {}): List<U> => ({
  unit,
  kind: 'list',
  least,
  most,
})

/** A count of at least one: devices, layers, replicas. */
export const count = one('1', { least: 1 })
/** A count that may be left out. */
export const countOr = (fallback: number): Optional<'1'> => or('1', fallback, { least: 1 })
/** A fraction of a whole, 0 to 1. */
export const share = one('1', { most: 1 })
export const shareOr = (fallback: number): Optional<'1'> => or('1', fallback, { most: 1 })
/** A real number of either sign. */
export const real = one('1', { least: -Infinity })

export type Inputs = Readonly<Record<string, Input>>

type Value<I, Several, Single> = I extends { readonly kind: 'list' } ? Several : Single

export type Values<I extends Inputs> = {
  readonly [K in keyof I as I[K]['kind'] extends 'optional' ? never : K]: Value<
    I[K],
    readonly Quantity<I[K]['unit']>[],
    Quantity<I[K]['unit']>
  >
} & {
  readonly [K in keyof I as I[K]['kind'] extends 'optional' ? K : never]?: Quantity<I[K]['unit']> | undefined
}

export type Knowns<I extends Inputs> = {
  readonly [K in keyof I as I[K]['kind'] extends 'optional' ? never : K]: Value<I[K], readonly Known<I[K]['unit']>[], Known<I[K]['unit']>>
} & {
  readonly [K in keyof I as I[K]['kind'] extends 'optional' ? K : never]?: Known<I[K]['unit']> | undefined
}

/** A further figure that the same inputs decide, as a function of them and of the law's own result. */
export type Also<I extends Inputs, U extends BaseUnit> = {
  readonly unit: U
  readonly is: string
  of(input: Values<I>, result: number): number
}

/** How a composite reaches its parts: bare numbers in the search, known quantities in an explanation. */
export type Apply = <I extends Inputs, U extends BaseUnit, A extends Outputs>(law: Law<I, U, A>, input: Knowns<I>) => Known<U>

type Outputs = Readonly<Record<string, BaseUnit>>

export type Law<I extends Inputs = Inputs, U extends BaseUnit = BaseUnit, A extends Outputs = Outputs> = {
  readonly id: string
  readonly name: string
  /** The decision that this law supports, as a short phrase: "how often to checkpoint". */
  readonly decides: string
  /** The right-hand side for `output`, in the input names. */
  readonly is: string
  readonly source: string
  /** Where the law may be trusted, in words; `holds` tests what can be tested. */
  readonly validity: string
  readonly inputs: I
  readonly output: string
  readonly unit: U
  readonly also: { readonly [K in keyof A]: Also<I, A[K]> }
  of(this: void, input: Values<I>): Quantity<U>
  holds?(input: Values<I>): boolean
  via?(input: Knowns<I>, apply: Apply): Known<U>
}

type Head<I extends Inputs, U extends BaseUnit, A extends Outputs> = Omit<Law<I, U, A>, 'of' | 'also' | 'holds' | 'via'> & {
  readonly also?: { readonly [K in keyof A]: Also<I, A[K]> }
  readonly holds?: (input: Values<I>) => boolean
}

export function law<const I extends Inputs, const U extends BaseUnit, const A extends Outputs = Record<never, never>>(
  definition: Head<I, U, A> & { readonly of: (input: Values<I>) => number },
): Law<I, U, A> {
  return { also: {} as Law<I, U, A>['also'], ...definition, of: definition.of as Law<I, U, A>['of'] }
}

type BareValues<I extends Inputs> = {
  readonly [K in keyof I as I[K]['kind'] extends 'optional' ? never : K]: Value<I[K], readonly number[], number>
} & {
  readonly [K in keyof I as I[K]['kind'] extends 'optional' ? K : never]?: number | undefined
}

/** The function of a law for code that works in plain numbers of base units throughout, as the inner loop of a search does. */
export const bare = <I extends Inputs, U extends BaseUnit, A extends Outputs>({ of }: Law<I, U, A>): ((input: BareValues<I>) => number) =>
  of as unknown as (input: BareValues<I>) => number

/** A law composed of laws: `via` passes its inputs on through `apply` and never computes by itself. */
export function composite<const I extends Inputs, const U extends BaseUnit, const A extends Outputs = Record<never, never>>(
  definition: Head<I, U, A> & { readonly via: (input: Knowns<I>, apply: Apply) => Known<U> },
): Law<I, U, A> {
  const via = definition.via as unknown as (input: Values<I>, apply: typeof bareValue) => Quantity<U>
  return { also: {} as Law<I, U, A>['also'], ...definition, of: (input) => via(input, bareValue) }
}

const bareValue = (applied: Law, input: Values<Inputs>): number => applied.of(input)

/** Values whose names are only known at run time: a worked example, the flags of a command. */
export type LooseValues = Readonly<Record<string, number | readonly number[]>>

/** Any output of a law by name; undefined when the law has no such output. */
export function outputOf(
  law: Law,
  input: LooseValues,
  output: string = law.output,
): { readonly value: number; readonly unit: BaseUnit } | undefined {
  const values = input as Values<Inputs>
  const result = law.of(values)
  if (output === law.output) return { value: result, unit: law.unit }
  const also = Object.hasOwn(law.also, output) ? law.also[output] : undefined
  return also && { value: also.of(values, result), unit: also.unit }
}
