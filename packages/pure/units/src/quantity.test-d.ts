// Checked by the compiler alone: each line below an expectation must fail to compile, or the build does.

import {
  bits,
  bytes,
  type Bytes,
  flop,
  type Flop,
  flopPerSecond,
  gibibytes,
  gigabytes,
  hours,
  plus,
  type Quantity,
  seconds,
  type Seconds,
} from './index.ts'

export const sum: Bytes = plus(bytes(1), bytes(2))

// @ts-expect-error bytes + bits
plus(bytes(1), bits(8))
// @ts-expect-error a bare sum is no longer a quantity, whatever its parts were
export const bareSum: Bytes = bytes(1) + bits(8)
// @ts-expect-error bits where bytes are meant
export const capacity: Bytes = bits(8)
// @ts-expect-error GB where GiB is meant
export const memory: Quantity<'GiB'> = gigabytes(80)
// @ts-expect-error GiB + GB
plus(gibibytes(80), gigabytes(80))
// @ts-expect-error FLOP + FLOP/s
plus(flop(1), flopPerSecond(1))
// @ts-expect-error FLOP/s where FLOP is meant
export const work: Flop = flopPerSecond(1)
// @ts-expect-error seconds + hours written as a number
plus(seconds(30), 2)
// @ts-expect-error seconds + hours
plus(seconds(30), hours(2))
// @ts-expect-error a plain number is not yet a time
export const time: Seconds = 30
