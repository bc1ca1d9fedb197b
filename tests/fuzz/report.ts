// Figures of a run, for people.

import type { TargetReport } from './supervise.ts'

const HEADS = ['target', 'executions', 'per s', 'branches', 'states', 'corpus', 'held kB/min', 'faults'] as const

export function reportTable(reports: readonly TargetReport[]): string {
  const rows = reports.map(({ target, executions, seconds, branches, states, corpus, growth, faults }) => [
    target,
    executions.toLocaleString('en-US'),
    (executions / seconds).toFixed(0),
    `${branches.found}/${branches.of} (${((100 * branches.found) / Math.max(1, branches.of)).toFixed(0)} %)`,
    String(states),
    String(corpus),
    growth ? (growth.bytes_per_minute / 1024).toFixed(0) : '-',
    String(faults.length),
  ])
  const widths = HEADS.map((head, column) => Math.max(head.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')
  return [HEADS, ...rows].map(line).join('\n')
}
