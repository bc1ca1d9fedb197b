// The phases of an order as series of a chart, stacked bars and rows of a table.

import type { PhaseMixture } from '@ironlaw/data'
import type { Series } from '../charts/series.ts'
import { INKS } from './distributions.ts'

const REST = 'other sources'

/** Sources by what is taken of them over all phases, most first; those beyond the colours are one. */
function groupsOf(phases: readonly PhaseMixture[]): readonly { readonly name: string; readonly members: ReadonlySet<string> }[] {
  const taken = new Map<string, number>()
  for (const { shares } of phases) for (const { source, samples } of shares) taken.set(source, (taken.get(source) ?? 0) + samples)
  const names = [...taken].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
  const own = names.length > INKS.length ? INKS.length - 1 : INKS.length
  const rest = names.slice(own)
  return [
    ...names.slice(0, own).map((name) => ({ name, members: new Set([name]) })),
    ...(rest.length > 0 ? [{ name: REST, members: new Set(rest) }] : []),
  ]
}

/** With a point at both ends of each phase, between which the share does not change. */
export const mixtureSeries = (phases: readonly PhaseMixture[]): readonly Series[] =>
  groupsOf(phases).map(({ name, members }, at) => ({
    name,
    ink: INKS[at] ?? 'waiting',
    points: phases.flatMap(({ start, end, shares }) => {
      const share = shares.reduce((sum, each) => (members.has(each.source) ? sum + each.share : sum), 0)
      return [[start, share] as const, [end - 1, share] as const]
    }),
  }))

export type StackedBar = { readonly ink: string; readonly start: number; readonly end: number; readonly from: number; readonly to: number }

/** Of the series that are shown, one above the other in each phase. */
export const stackedBars = (phases: readonly PhaseMixture[], series: readonly Series[]): readonly StackedBar[] =>
  phases.flatMap(({ start, end }, phase) => {
    let from = 0
    return series.flatMap(({ ink = '', points }): StackedBar[] => {
      const share = points[2 * phase]?.[1] ?? 0
      if (share === 0) return []
      const bar = { ink, start, end, from, to: from + share }
      from = bar.to
      return [bar]
    })
  })

export type PhaseRow = Omit<PhaseMixture, 'shares'> & PhaseMixture['shares'][number] & { readonly phase: number }

export const phaseRows = (phases: readonly PhaseMixture[]): readonly PhaseRow[] =>
  phases.flatMap(({ shares, ...phase }, at) => shares.map((share) => ({ phase: at + 1, ...phase, ...share })))
