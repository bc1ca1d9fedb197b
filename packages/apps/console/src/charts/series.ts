// The data of a chart: for the values under the pointer, and for CSV files.

import type { CsvRow } from '../ui/csv.ts'

export type Series = {
  readonly name: string
  /** A colour of the style sheet; a series that has one is in the legend, if there are several. */
  readonly ink?: string
  /** The series that it is shown and hidden with. */
  readonly with?: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

export type Reading = { readonly name: string; readonly x: number; readonly y: number }

/** The index in a series nearest to x; -1 in an empty one. Points may come in any order. */
const nearestIn = (points: Series['points'], x: number): number =>
  points.reduce((best, [at], index) => (best < 0 || Math.abs(at - x) < Math.abs((points[best]?.[0] ?? Infinity) - x) ? index : best), -1)

/** Every series at the x nearest to the pointer; series without a value there are omitted. */
export function readingsAt(series: readonly Series[], x: number): readonly Reading[] {
  const nearest = series.flatMap(({ name, points }) => {
    const point = points[nearestIn(points, x)]
    return point ? [{ name, x: point[0], y: point[1] }] : []
  })
  const closest = Math.min(...nearest.map((reading) => Math.abs(reading.x - x)))
  const chosen = nearest.find((reading) => Math.abs(reading.x - x) === closest)
  return chosen ? nearest.filter((reading) => Math.abs(reading.x - chosen.x) <= tolerance(series, chosen.x)) : []
}

/** Each series has its own sample positions: a gap between two samples is split in half between them. */
function tolerance(series: readonly Series[], x: number): number {
  const gaps = series.flatMap(({ points }) => points.map(([at]) => Math.abs(at - x)).filter((gap) => gap > 0))
  return gaps.length === 0 ? 0 : Math.min(...gaps) / 2
}

/** All x values of a chart in order, for the arrow keys. */
export const xValues = (series: readonly Series[], [low, high]: readonly [number, number]): readonly number[] =>
  [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].filter((x) => x >= low && x <= high).toSorted((a, b) => a - b)

export const seriesRows = (series: readonly Series[], names: { readonly x: string; readonly y: string }): readonly CsvRow[] => [
  ['series', names.x, names.y],
  ...series.flatMap(({ name, points }) => points.map(([x, y]): CsvRow => [name, x, y])),
]
