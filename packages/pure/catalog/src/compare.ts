// Two entries side by side: figures that both have with their ratio, and figures only one has.

import type { Known } from '@ironlaw/units'
import { type Entry, figures } from './entry.ts'

export type ComparedRow = {
  readonly path: string
  readonly left: Known | undefined
  readonly right: Known | undefined
  /** How many times the left figure the right one is. */
  readonly ratio: number | undefined
}

export function comparisonRows<E extends Entry>(left: E, right: NoInfer<E>): readonly ComparedRow[] {
  const [ofLeft, ofRight] = [byPath(left), byPath(right)]
  return [...new Set([...ofLeft.keys(), ...ofRight.keys()])].map((path) => {
    const [a, b] = [ofLeft.get(path), ofRight.get(path)]
    return { path, left: a, right: b, ratio: a && b && a.value !== 0 ? b.value / a.value : undefined }
  })
}

const byPath = (entry: Entry): ReadonlyMap<string, Known> => new Map(figures(entry).map(({ path, known }) => [path, known]))
