// What sources state of their runs and the planner does not take into account, so that nobody mistakes a match for understanding.

import { publishedRows } from './row.ts'

const IGNORED_SETTINGS: Readonly<Record<string, string>> = {
  'cuda-graphs': 'kernels launched from a recorded graph',
  'tensor-overlap-off': 'tensor-parallel exchange not hidden, though its software can',
  vboost: 'clocks of the matrix units raised at the cost of the rest',
  'attention-fp8': 'attention computed in FP8',
  'fp8-all-gather': 'sharded weights gathered in FP8',
  'capacity-1-padded': 'experts padded to a fixed number of tokens',
}
const OVERLAP = 'which exchanges the software was told to hide; a runtime has one overlap for all of its runs'

export type IgnoredField = { readonly field: string; readonly means: string; readonly rows: number }

export function ignoredFields(): readonly IgnoredField[] {
  const usable = publishedRows.flatMap((row) => (row.usable ? [row] : []))
  return [
    { field: 'overlap', means: OVERLAP, rows: usable.filter(({ overlap }) => overlap !== undefined).length },
    ...Object.entries(IGNORED_SETTINGS).map(([field, means]) => ({
      field,
      means,
      rows: usable.filter(({ settings }) => settings?.includes(field)).length,
    })),
  ].toSorted((a, b) => b.rows - a.rows)
}
