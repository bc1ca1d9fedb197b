// One figure of every step, one line per attempt.

import type { StepView } from '@ironlaw/contracts/api'
import type { ReactNode } from 'react'
import { type Axis, type Frame, Lines, Plot } from '../charts/plot.tsx'
import type { Series } from '../charts/series.ts'

/** Cycles through colours, so that neighbouring attempts differ. */
const INKS = ['work', 'exchange', 'accent', 'waiting'] as const

export type StepPoint = { readonly step: number; readonly attempt: number; readonly value: number }

export type StepChartProps = {
  readonly label: string
  readonly points: readonly StepPoint[]
  readonly y: Axis
  /** Under the lines. */
  readonly children?: (frame: Frame) => ReactNode
}

export const stepPoints = (steps: readonly StepView[], value: (row: StepView) => number | undefined): readonly StepPoint[] =>
  steps.flatMap((row) => {
    const found = value(row)
    return found === undefined ? [] : [{ step: row.step, attempt: row.attempt, value: found }]
  })

export function StepChart({ label, points, y, children }: StepChartProps): ReactNode {
  const lines: readonly Series[] = [...Map.groupBy(points, ({ attempt }) => attempt)].map(([attempt, rows], at) => ({
    name: `attempt ${attempt}`,
    ink: INKS[at % INKS.length] ?? INKS[0],
    points: rows.map(({ step, value }) => [step, value]),
  }))
  const steps = points.map(({ step }) => step)
  return (
    <Plot
      label={label}
      height={240}
      x={{
        name: 'step',
        kind: 'linear',
        domain: [Math.min(...steps), Math.max(...steps, 2)],
        format: (value) => (Number.isInteger(value) ? value.toLocaleString('en') : ''),
      }}
      y={y}
      series={lines}
    >
      {(frame) => (
        <>
          {children?.(frame)}
          <Lines series={lines} frame={frame} />
        </>
      )}
    </Plot>
  )
}
