// The same errors by what the runs have in common, so that a good mean cannot hide a bad corner.

import { type ScoredRow, type Summary, summaryOf } from './score.ts'

export type BreakdownRow = Summary & { readonly key: string }

const SCALES = [
  { most: 8, key: 'up to 8' },
  { most: 64, key: '9 to 64' },
  { most: 512, key: '65 to 512' },
  { most: 4096, key: '513 to 4,096' },
  { most: Infinity, key: 'over 4,096' },
] as const

const scaleOf = ({ devices }: ScoredRow): string => SCALES.find(({ most }) => devices <= most)?.key ?? ''

const KEYS = {
  source: ({ source }: ScoredRow) => source,
  accelerator: ({ accelerator }: ScoredRow) => accelerator,
  family: ({ family }: ScoredRow) => family,
  scale: scaleOf,
  layout: ({ layout }: ScoredRow) => layout,
  parallelism: ({ parallelism }: ScoredRow) => parallelism,
} as const

export type BreakdownKey = keyof typeof KEYS
export type Breakdowns = Readonly<Record<BreakdownKey, readonly BreakdownRow[]>>

export const BREAKDOWNS: readonly BreakdownKey[] = ['source', 'accelerator', 'family', 'scale', 'layout', 'parallelism']

export function breakdownsOf(rows: readonly ScoredRow[]): Breakdowns {
  return {
    source: breakdownRows(rows, 'source'),
    accelerator: breakdownRows(rows, 'accelerator'),
    family: breakdownRows(rows, 'family'),
    scale: breakdownRows(rows, 'scale').toSorted((a, b) => rankOf(a) - rankOf(b)),
    layout: breakdownRows(rows, 'layout').toSorted((a, b) => a.key.localeCompare(b.key)),
    parallelism: breakdownRows(rows, 'parallelism'),
  }
}

const rankOf = ({ key }: BreakdownRow): number => SCALES.findIndex((scale) => scale.key === key)

function breakdownRows(rows: readonly ScoredRow[], by: BreakdownKey): BreakdownRow[] {
  const groups = Map.groupBy(rows, KEYS[by])
  return [...groups].flatMap(([key, members]) => {
    const summary = summaryOf(members.map(({ error }) => error))
    return summary ? [{ key, ...summary }] : []
  })
}
