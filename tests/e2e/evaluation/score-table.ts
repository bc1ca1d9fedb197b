// Scores of another program beside ours.

export type ScoredMetric = { readonly task: string; readonly metric: string; readonly theirs: number; readonly ours: number }

/** Sums of the same numbers in another order. */
const ROUNDING = 1e-9

export const isEqual = ({ theirs, ours }: ScoredMetric): boolean => Math.abs(theirs - ours) <= ROUNDING * Math.max(1, Math.abs(theirs))

export function scoreTable(program: string, rows: readonly ScoredMetric[]): string {
  const cells = rows.map((row) => [
    row.task,
    row.metric,
    row.theirs.toPrecision(10),
    row.ours.toPrecision(10),
    (row.ours - row.theirs).toExponential(1),
    isEqual(row) ? '' : 'DIFFERENT',
  ])
  const all = [['task', 'metric', program, 'ironlaw', 'difference', ''], ...cells]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
