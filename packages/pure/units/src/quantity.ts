// A number that knows its unit. The brand exists only for the compiler: at run time a quantity is a plain
// number, so laws stay free of allocation. Arithmetic operators give back `number`, which no field accepts,
// so a sum of quantities is written with `plus` and a mix of units does not compile.

declare const unit: unique symbol

export type Quantity<U extends string> = number & { readonly [unit]: U }

export type Bytes = Quantity<'B'>
export type Bits = Quantity<'bit'>
export type BytesPerSecond = Quantity<'B/s'>
export type Seconds = Quantity<'s'>
export type Flop = Quantity<'FLOP'>
export type FlopPerSecond = Quantity<'FLOP/s'>
export type FlopPerByte = Quantity<'FLOP/B'>
export type Tokens = Quantity<'token'>
export type TokensPerSecond = Quantity<'token/s'>
export type Watts = Quantity<'W'>
export type Joules = Quantity<'J'>
export type Dollars = Quantity<'USD'>
export type DollarsPerSecond = Quantity<'USD/s'>
export type GramsCO2e = Quantity<'gCO2e'>
export type GramsCO2ePerJoule = Quantity<'gCO2e/J'>
export type Scalar = Quantity<'1'>

/** The one place where a plain number becomes a quantity. */
export const quantity = <U extends string>(value: number, _unit: U): Quantity<U> => value as Quantity<U>

export const bytes = (n: number): Bytes => quantity(n, 'B')
export const bits = (n: number): Bits => quantity(n, 'bit')
export const bytesPerSecond = (n: number): BytesPerSecond => quantity(n, 'B/s')
export const seconds = (n: number): Seconds => quantity(n, 's')
export const flop = (n: number): Flop => quantity(n, 'FLOP')
export const flopPerSecond = (n: number): FlopPerSecond => quantity(n, 'FLOP/s')
export const tokens = (n: number): Tokens => quantity(n, 'token')
export const watts = (n: number): Watts => quantity(n, 'W')
export const joules = (n: number): Joules => quantity(n, 'J')
export const dollars = (n: number): Dollars => quantity(n, 'USD')
export const gramsCO2e = (n: number): GramsCO2e => quantity(n, 'gCO2e')
export const scalar = (n: number): Scalar => quantity(n, '1')

export const gigabytes = (n: number): Quantity<'GB'> => quantity(n, 'GB')
export const gibibytes = (n: number): Quantity<'GiB'> => quantity(n, 'GiB')
export const hours = (n: number): Quantity<'h'> => quantity(n, 'h')

export const plus = <U extends string>(a: Quantity<U>, b: Quantity<NoInfer<U>>): Quantity<U> => (a + b) as Quantity<U>
export const minus = <U extends string>(a: Quantity<U>, b: Quantity<NoInfer<U>>): Quantity<U> => (a - b) as Quantity<U>
export const times = <U extends string>(a: Quantity<U>, factor: number): Quantity<U> => (a * factor) as Quantity<U>
