// A figure with its interval as a line between two ends of a scale. The numbers stand beside it.

import type { ReactNode } from 'react'

type IntervalBarProps = {
  readonly value: number
  readonly low: number
  readonly high: number
  /** Ends of the scale, the same in all rows. */
  readonly domain: readonly [number, number]
  /** Lines that the interval is read against. */
  readonly marks?: readonly number[]
  readonly kind?: 'work' | 'good' | 'bad' | 'waiting'
}

export function IntervalBar({ value, low, high, domain: [from, to], marks = [], kind = 'work' }: IntervalBarProps): ReactNode {
  const place = (at: number): string => `${Math.max(0, Math.min(100, (100 * (at - from)) / Math.max(Number.EPSILON, to - from)))}%`
  return (
    <span className={`interval-bar ${kind}`} aria-hidden="true">
      {marks.map((mark) => (
        <i key={mark} className="mark" style={{ left: place(mark) }} />
      ))}
      <i className="reach" style={{ left: place(low), right: `calc(100% - ${place(high)})` }} />
      <i className="point" style={{ left: place(value) }} />
    </span>
  )
}
