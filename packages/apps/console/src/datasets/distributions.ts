// Distributions over the sources of a dataset: lengths of documents, tokens, and who wrote them.

import type { DataFigures, DataSources, SourceFigures } from '@ironlaw/contracts/data-figures'
import type { Series } from '../charts/series.ts'

export type SourceRow = SourceFigures['out'] & {
  readonly source: string
  readonly records: number
  readonly violations: number
  readonly origin: string
  readonly firstViolation?: SourceFigures['firstViolation']
}

type Origin = Pick<DataSources['sources'][number], 'origin' | 'generation'>

export const originText = ({ origin, generation }: Origin): string => (origin === 'real' ? 'real' : `synthetic, generation ${generation}`)

/** In the order of the spec, where that is known. */
export function sourceRows({ sources }: DataFigures, named: DataSources | undefined): readonly SourceRow[] {
  const origins = new Map(named?.sources.map((source) => [source.name, source]))
  const order = [...origins.keys()]
  return Object.entries(sources)
    .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([source, { records, violations, firstViolation, out }]) => {
      const origin = origins.get(source)
      return {
        source,
        records,
        violations,
        ...out,
        origin: origin ? originText(origin) : 'unknown',
        ...(firstViolation && { firstViolation }),
      }
    })
}

/** What sources are compared in: tokens where there are any, else bytes. */
export const comparedBy = (rows: readonly SourceRow[]): 'tokens' | 'bytes' => (rows.some(({ tokens }) => tokens > 0) ? 'tokens' : 'bytes')

export type Share = { readonly name: string; readonly amount: number; readonly share: number }

/** Largest first. */
export function sharesBy(rows: readonly SourceRow[], group: (row: SourceRow) => string): readonly Share[] {
  const by = comparedBy(rows)
  const whole = rows.reduce((sum, row) => sum + row[by], 0)
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(group(row), (sums.get(group(row)) ?? 0) + row[by])
  return [...sums]
    .map(([name, amount]) => ({ name, amount, share: whole === 0 ? 0 : amount / whole }))
    .toSorted((a, b) => b.amount - a.amount)
}

/** Colours that can be told apart; further sources are drawn as one. */
export const INKS = ['work', 'exchange', 'words', 'accent', 'waiting'] as const
const REST = 'other sources'

/** Of each source: what share of its documents has how many bytes, at the upper end of each power of two. Those with the most documents. */
export function lengthSeries({ sources }: DataFigures): readonly Series[] {
  const all = Object.entries(sources)
    .map(([name, { lengths, out }]) => ({ name, lengths, documents: out.documents }))
    .filter(({ documents }) => documents > 0)
    .toSorted((a, b) => b.documents - a.documents)
  const last = all.length > INKS.length ? INKS.length - 1 : INKS.length
  const rest = all.slice(last)
  const merged = rest.length === 0 ? [] : [{ name: REST, lengths: sumLengths(rest.map(({ lengths }) => lengths)), documents: sum(rest) }]
  const widest = Math.max(0, ...all.map(({ lengths }) => lengths.length))
  return [...all.slice(0, last), ...merged].map(({ name, lengths, documents }, at) => ({
    name,
    ink: INKS[at] ?? 'waiting',
    points: Array.from({ length: widest }, (_, power) => [2 ** power, (lengths[power] ?? 0) / documents] as const),
  }))
}

const sum = (sources: readonly { readonly documents: number }[]): number => sources.reduce((total, { documents }) => total + documents, 0)

const sumLengths = (lengths: readonly (readonly number[])[]): readonly number[] =>
  Array.from({ length: Math.max(0, ...lengths.map((each) => each.length)) }, (_, power) =>
    lengths.reduce((total, each) => total + (each[power] ?? 0), 0),
  )
