// Figures of steps as the page shows them.

import type { Amount, DataFigures, Dropped, StepFigures } from '@ironlaw/contracts/data-figures'

export type Measure = 'documents' | 'bytes'

export type FunnelRow = {
  readonly step: string
  /** Steps may have the same name; this one is their place. */
  readonly place: number
  readonly into: Amount
  readonly kept: Amount
  /** Shares of the most that went into any step. */
  readonly keptShare: number
  readonly droppedShare: number
}

/** Steps that documents went through one by one; a contract is counted in records, with the sources. */
export function funnelRows(figures: DataFigures, measure: Measure): readonly FunnelRow[] {
  const rows = figures.steps
    .map(({ step, into, kept }, place) => ({
      step,
      place,
      ...(step === 'expect' && measure === 'documents' ? contractOf(figures) : { into, kept }),
    }))
    .filter(({ into }) => into.documents > 0)
  const most = Math.max(1, ...rows.map(({ into }) => into[measure]))
  return rows.map((row) => ({
    ...row,
    keptShare: Math.min(1, row.kept[measure] / most),
    droppedShare: Math.max(0, row.into[measure] - row.kept[measure]) / most,
  }))
}

function contractOf(figures: DataFigures): Pick<FunnelRow, 'into' | 'kept'> {
  const { records, violations } = totalsOf(figures)
  return { into: { documents: records, bytes: 0 }, kept: { documents: records - violations, bytes: 0 } }
}

export type DroppedReason = Dropped & { readonly reason: string }

/** Those with the most documents first. */
export const reasonsOf = ({ dropped }: StepFigures): readonly DroppedReason[] =>
  Object.entries(dropped)
    .map(([reason, amount]) => ({ reason, ...amount }))
    .toSorted((a, b) => b.documents - a.documents || (a.reason < b.reason ? -1 : 1))

export type Totals = Amount & { readonly records: number; readonly violations: number; readonly tokens: number }

export function totalsOf({ sources }: DataFigures): Totals {
  const sum = { records: 0, violations: 0, documents: 0, bytes: 0, tokens: 0 }
  for (const { records, violations, out } of Object.values(sources)) {
    sum.records += records
    sum.violations += violations
    sum.documents += out.documents
    sum.bytes += out.bytes
    sum.tokens += out.tokens
  }
  return sum
}
