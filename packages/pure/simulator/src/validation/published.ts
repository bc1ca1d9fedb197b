// What published campaigns said about failures, goodput, checkpoints and restarts: facts/reliability-runs, one figure each.

import bundle from './reliability-runs.generated.json' with { type: 'json' }

export type PublishedFigure = {
  readonly id: string
  readonly system: string
  readonly accelerator: string
  readonly accelerators?: number
  readonly days?: number
  readonly metric: string
  /** One number, a range, or neither where the source gives words. */
  readonly value?: number
  readonly low?: number
  readonly high?: number
  readonly text?: string
  readonly bound?: 'above' | 'at least' | 'below' | 'about'
  readonly unit?: string
  readonly kind: 'reported' | 'measured' | 'derived' | 'projected'
  readonly note?: string
  readonly source: string
}

type Source = {
  readonly id: string
  readonly source: { readonly ref: string; readonly url: string; readonly date: string }
  readonly rows: readonly (Omit<PublishedFigure, 'source'> & { readonly source?: string })[]
}

// The files are written by hand in this shape; the compiler only sees the union of what each happens to hold.
const SOURCES = bundle as unknown as readonly Source[]

export const PUBLISHED: ReadonlyMap<string, PublishedFigure> = new Map(
  SOURCES.flatMap(({ source: { ref, url }, rows }) => rows.map((row) => [row.id, { ...row, source: row.source ?? `${ref}, ${url}` }])),
)
