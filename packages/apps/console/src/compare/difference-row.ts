// One figure of two items.

export type DifferenceRow = {
  readonly name: string
  /** Of a field, as in the file. */
  readonly path?: string
  readonly left: string
  readonly right: string
  /** The second divided by the first, if that is meaningful. */
  readonly ratio?: number | undefined
}

/** A row of two numbers. */
export const numberRow = (
  name: string,
  [left, right]: readonly [number | undefined, number | undefined],
  format: (value: number) => string,
): DifferenceRow => ({
  name,
  left: left === undefined ? '–' : format(left),
  right: right === undefined ? '–' : format(right),
  ...(left !== undefined && right !== undefined && left > 0 && { ratio: right / left }),
})
