// What was measured against what must show: one table at the end, and a failure where a goal is missed.

export type Goal = { readonly what: string; readonly measured: string; readonly goal: string; readonly isMet: boolean }

/** A figure without a goal of its own, beside the others. */
export const figure = (what: string, measured: string): Goal => ({ what, measured, goal: '', isMet: true })

export const atLeast = (what: string, measured: number, { least, unit }: { readonly least: number; readonly unit: string }): Goal => ({
  what,
  measured: `${measured.toPrecision(3)} ${unit}`,
  goal: `at least ${least} ${unit}`,
  isMet: measured >= least,
})

/** Nothing of a kind is allowed; the first of what was found is named. */
export const none = (what: string, found: readonly string[], of: number): Goal => ({
  what,
  measured: `${found.length} of ${of}${found.length === 0 ? '' : `: ${found.slice(0, 3).join(', ')}`}`,
  goal: 'none',
  isMet: found.length === 0,
})

export function goalsTable(goals: readonly Goal[]): string {
  const rows = [
    ['what', 'measured', 'goal', ''],
    ...goals.map(({ what, measured, goal, isMet }) => [what, measured, goal, isMet ? '' : 'MISSED']),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
