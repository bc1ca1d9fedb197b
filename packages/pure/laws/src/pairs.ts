// Lists that belong together element by element: replicas and the length of each phase, shares and what remains of each.
// Where one is longer a partner is missing, and no default for it can be right: the sum is then not a number.

export type Pairs = readonly [readonly number[], readonly number[]]

export const isPaired = ([a, b]: Pairs): boolean => a.length === b.length

/** The sum of a function over the pairs, a product by default. */
export function pairSum([a, b]: Pairs, of: (a: number, b: number) => number = product): number {
  return isPaired([a, b]) ? a.reduce((sum, each, index) => sum + of(each, b[index] ?? Number.NaN), 0) : Number.NaN
}

const product = (a: number, b: number): number => a * b
