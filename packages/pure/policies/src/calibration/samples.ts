// Many readings as one figure: the median, and how far the readings lie apart. Both ignore a neighbour's burst or a page fault.

import { median } from '@ironlaw/laws/quantile'

/** `spread` is one standard deviation relative to the value, from the median deviation (1.4826 times it, for a normal). */
export type Figure = { readonly value: number; readonly spread: number; readonly samples: number }

const MAD_TO_SIGMA = 1.4826

export function figureOf(values: readonly number[]): Figure {
  const value = median(values)
  return {
    value,
    spread: (MAD_TO_SIGMA * median(values.map((each) => Math.abs(each - value)))) / Math.abs(value),
    samples: values.length,
  }
}
