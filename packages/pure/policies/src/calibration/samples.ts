// Many readings as one figure: the median, and how far the readings lie apart. Both ignore a neighbour's burst or a page fault.

/** `spread` is one standard deviation relative to the value, from the median deviation (1.4826 times it, for a normal). */
export type Figure = { readonly value: number; readonly spread: number; readonly samples: number }

const MAD_TO_SIGMA = 1.4826

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

export function figureOf(values: readonly number[]): Figure {
  const value = median(values)
  return {
    value,
    spread: (MAD_TO_SIGMA * median(values.map((each) => Math.abs(each - value)))) / Math.abs(value),
    samples: values.length,
  }
}
