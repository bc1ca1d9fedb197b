// Loss and pace over steps, the pace beside the band that the plan predicted.

import type { TrainingPlan } from '@ironlaw/contracts'
import type { StepView } from '@ironlaw/contracts/api'
import { memo, type ReactNode } from 'react'
import { type Axis, pathOf, Plot } from '../charts/plot.tsx'
import { extent } from '../charts/scale.ts'
import type { Series } from '../charts/series.ts'
import { Card, Empty } from '../ui/card.tsx'
import { duration } from './run-words.tsx'

const stepAxis = (steps: readonly StepView[]): Axis => {
  const numbers = steps.map(({ step }) => step)
  return {
    name: 'step',
    kind: 'linear',
    domain: [Math.min(...numbers), Math.max(...numbers, 2)],
    format: (value) => (Number.isInteger(value) ? String(value) : ''),
  }
}

/** Where a later attempt repeats steps the line begins anew. */
const linesOf = (steps: readonly StepView[]): readonly (readonly StepView[])[] => [...Map.groupBy(steps, ({ attempt }) => attempt).values()]

const seriesOf = <T extends StepView>(steps: readonly T[], value: (row: T) => number): readonly Series[] =>
  [...Map.groupBy(steps, ({ attempt }) => attempt)].map(([attempt, rows]) => ({
    name: `attempt ${attempt}`,
    points: rows.map((row) => [row.step, value(row)]),
  }))

export type LossViewProps = { readonly steps: readonly StepView[] | undefined }

export const LossView = memo(({ steps }: LossViewProps): ReactNode => {
  const told = (steps ?? []).flatMap((row) => (typeof row.loss === 'number' ? [{ ...row, loss: row.loss }] : []))
  return (
    <Card title="Loss" about="A line per attempt." busy={!steps}>
      {told.length < 2 ? (
        <Empty>{steps ? 'No loss was reported yet.' : 'Reading…'}</Empty>
      ) : (
        <Plot
          label={`Loss over ${told.length} steps`}
          height={240}
          x={stepAxis(told)}
          y={{
            name: 'loss',
            kind: 'linear',
            domain: extent(
              told.map(({ loss }) => loss),
              { kind: 'linear', room: 0.06 },
            ),
            format: (value) => value.toPrecision(3),
          }}
          series={seriesOf(told, ({ loss }) => loss)}
        >
          {(frame) =>
            linesOf(told).map((line) => (
              <path
                key={line[0]?.attempt}
                className="curve"
                d={pathOf(
                  line.map(({ step, loss }) => [step, loss ?? 0]),
                  frame,
                )}
              />
            ))
          }
        </Plot>
      )}
    </Card>
  )
})

export type PaceViewProps = LossViewProps & { readonly prediction: TrainingPlan['prediction'] | undefined }

export const PaceView = memo(({ steps, prediction }: PaceViewProps): ReactNode => {
  const rows = steps ?? []
  const values = [...rows.map(({ seconds }) => seconds), ...(prediction ? [prediction.step_low_s, prediction.step_high_s] : [])]
  const about = prediction ? `Predicted ${duration(prediction.step_s)}; the band holds nine of ten runs.` : 'The plan predicted nothing.'
  return (
    <Card title="Time of a step" about={steps && about} busy={!steps}>
      {rows.length < 2 ? (
        <Empty>{steps ? 'No step was reported yet.' : 'Reading…'}</Empty>
      ) : (
        <Plot
          label={`Seconds per step over ${rows.length} steps`}
          height={240}
          x={stepAxis(rows)}
          y={{ name: 'seconds per step', kind: 'linear', domain: [0, 1.1 * Math.max(...values)], format: duration }}
          series={seriesOf(rows, ({ seconds }) => seconds)}
        >
          {(frame) => (
            <>
              {prediction && (
                <rect
                  className="band"
                  width={frame.width}
                  y={frame.y(prediction.step_high_s)}
                  height={Math.max(2, frame.y(prediction.step_low_s) - frame.y(prediction.step_high_s))}
                />
              )}
              {linesOf(rows).map((line) => (
                <path
                  key={line[0]?.attempt}
                  className="curve"
                  d={pathOf(
                    line.map(({ step, seconds }) => [step, seconds]),
                    frame,
                  )}
                />
              ))}
            </>
          )}
        </Plot>
      )}
    </Card>
  )
})
