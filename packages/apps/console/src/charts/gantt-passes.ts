// Passes of microbatches over stages: as CSV rows, and the one under the pointer.

import { seconds, show } from '@ironlaw/units'
import type { CsvRow } from '../ui/csv.ts'

/** Columns, one row per pass. */
export type GanttRows = {
  readonly stages: number
  readonly span_s: number
  readonly stage: ArrayLike<number>
  readonly microbatch: ArrayLike<number>
  readonly forward: ArrayLike<number>
  readonly chunk: ArrayLike<number>
  readonly start: ArrayLike<number>
  readonly end: ArrayLike<number>
}

/** For the names of stages, and for the axis of time. */
export const LEFT = 64
export const BOTTOM = 22

/** The visible part, in seconds and in pixels. */
export type GanttFrame = { readonly from: number; readonly to: number; readonly width: number; readonly height: number }

const PASSES = ['backward', 'forward'] as const

export const passRows = (rows: GanttRows): readonly CsvRow[] => [
  ['stage', 'microbatch', 'pass', 'chunk', 'start_s', 'end_s'],
  ...Array.from(rows.start, (start, at): CsvRow => [
    (rows.stage[at] ?? 0) + 1,
    (rows.microbatch[at] ?? 0) + 1,
    PASSES[rows.forward[at] === 1 ? 1 : 0],
    (rows.chunk[at] ?? 0) + 1,
    start,
    rows.end[at] ?? start,
  ]),
]

export type HoveredPass = { readonly x: number; readonly y: number; readonly text: string }

export function hoveredPass(
  rows: GanttRows,
  { from, to, width, height }: GanttFrame,
  [x, y]: readonly [number, number],
): HoveredPass | undefined {
  const time = from + ((to - from) * (x - LEFT)) / (width - LEFT)
  const stage = Math.floor((y * rows.stages) / (height - BOTTOM))
  for (let at = 0; at < rows.start.length; at += 1) {
    const [start, end] = [rows.start[at] ?? 0, rows.end[at] ?? 0]
    if (rows.stage[at] !== stage || time < start || time > end) continue
    const pass = PASSES[rows.forward[at] === 1 ? 1 : 0]
    const text = `stage ${stage + 1}, microbatch ${(rows.microbatch[at] ?? 0) + 1}, ${pass}: ${show(seconds(end - start), 's')} from ${show(seconds(start), 's')}`
    return { x, y, text }
  }
  return undefined
}
