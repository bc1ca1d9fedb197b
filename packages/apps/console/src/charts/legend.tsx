// The series of a chart by name and colour; each is a button that hides it or shows it again.

import type { ReactNode } from 'react'
import type { Series } from './series.ts'

export type LegendProps = {
  readonly label: string
  readonly series: readonly Series[]
  readonly hidden: ReadonlySet<string>
  readonly onHidden: (hidden: ReadonlySet<string>) => void
}

const namedSeries = (series: readonly Series[]): readonly Series[] => series.filter(({ ink }) => ink !== undefined)

export const hasLegend = (series: readonly Series[]): boolean => namedSeries(series).length >= 2

export function Legend({ label, series, hidden, onHidden }: LegendProps): ReactNode {
  const named = namedSeries(series)
  if (!hasLegend(series)) return undefined
  return (
    <div className="keys chart-keys" role="group" aria-label={`Series of ${label}`}>
      {named.map(({ name, ink }) => (
        <button
          key={name}
          type="button"
          aria-pressed={!hidden.has(name)}
          onClick={() => onHidden(hidden.has(name) ? hidden.difference(new Set([name])) : hidden.union(new Set([name])))}
        >
          <i className={`swatch ${ink}`} /> {name}
        </button>
      ))}
    </div>
  )
}
