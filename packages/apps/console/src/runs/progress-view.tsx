// Loss, pace, throughput and gradient norm over steps; the pace with the band that the plan predicted.

import type { TrainingPlan } from '@ironlaw/contracts'
import type { RunView, StepView } from '@ironlaw/contracts/api'
import { type LossSpike, spikeText } from '@ironlaw/policies/run'
import { memo, type ReactNode } from 'react'
import { Dot } from '../charts/plot.tsx'
import { extent } from '../charts/scale.ts'
import { Card, Empty } from '../ui/card.tsx'
import { spikeId, SpikeList } from './spike-list.tsx'
import { showDuration } from './run-words.tsx'
import { StepChart, stepPoints } from './step-chart.tsx'

export type StepsProps = { readonly steps: readonly StepView[] | undefined }

const reading = 'Reading…'

/** Leaves room for a tick label next to it. */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 })

export type LossViewProps = StepsProps & { readonly run: RunView; readonly spikes: readonly LossSpike[] }

export const LossView = memo(({ run, steps, spikes }: LossViewProps): ReactNode => {
  const points = stepPoints(steps ?? [], ({ loss }) => loss ?? undefined)
  const marked = spikes.flatMap((spike) => (spike.loss === null ? [] : [{ spike, at: [spike.step, spike.loss] as const }]))
  // Of a long run not every step is drawn: a spike is marked whether its step is or not.
  const values = [...points.map(({ value }) => value), ...marked.map(({ at: [, loss] }) => loss)]
  return (
    <Card title="Loss" about="A line per attempt." busy={!steps}>
      {points.length < 2 ? (
        <Empty>{steps ? 'No loss reported yet. The SDK sends it with run.step(loss=…).' : reading}</Empty>
      ) : (
        <StepChart
          label={`Loss over ${points.length} steps`}
          points={points}
          y={{
            name: 'loss',
            kind: 'linear',
            domain: extent(values, { kind: 'linear', room: 0.06 }),
            format: (value) => String(Number(value.toPrecision(4))),
          }}
        >
          {(frame) =>
            marked.map(({ spike, at }, index) => (
              <Dot
                key={`${spike.step} ${index}`}
                at={at}
                radius={5}
                className="fill-accent"
                frame={frame}
                tip={[spikeText(spike)]}
                onPick={() => document.getElementById(spikeId(spike))?.scrollIntoView({ block: 'center' })}
              />
            ))
          }
        </StepChart>
      )}
      <SpikeList run={run} spikes={spikes} />
    </Card>
  )
})

export type PaceViewProps = StepsProps & { readonly prediction: TrainingPlan['prediction'] | undefined }

export const PaceView = memo(({ steps, prediction }: PaceViewProps): ReactNode => {
  const points = stepPoints(steps ?? [], ({ seconds }) => seconds)
  const values = [...points.map(({ value }) => value), ...(prediction ? [prediction.step_low_s, prediction.step_high_s] : [])]
  const about = prediction ? `Predicted ${showDuration(prediction.step_s)}; the band is the 90 % interval.` : 'No prediction for this run.'
  return (
    <Card title="Step time" about={steps && about} busy={!steps}>
      {points.length < 2 ? (
        <Empty>{steps ? 'No step reported yet.' : reading}</Empty>
      ) : (
        <StepChart
          label={`Seconds per step over ${points.length} steps`}
          points={points}
          y={{ name: 'seconds per step', kind: 'linear', domain: [0, 1.1 * Math.max(...values)], format: showDuration }}
        >
          {(frame) =>
            prediction && (
              <rect
                className="band"
                width={frame.width}
                y={frame.y(prediction.step_high_s)}
                height={Math.max(2, frame.y(prediction.step_low_s) - frame.y(prediction.step_high_s))}
              />
            )
          }
        </StepChart>
      )}
    </Card>
  )
})

/** What the program reports in addition to loss and pace, if it does. */
export const SystemView = memo(({ steps }: StepsProps): ReactNode => {
  const throughput = stepPoints(steps ?? [], ({ tokens, seconds }) => (tokens > 0 && seconds > 0 ? tokens / seconds : undefined))
  const norms = stepPoints(steps ?? [], ({ gradient_norm }) => gradient_norm ?? undefined)
  return (
    <>
      {throughput.length > 1 && (
        <Card title="Throughput" about="Tokens per second of all ranks together.">
          <StepChart
            label={`Tokens per second over ${throughput.length} steps`}
            points={throughput}
            y={{
              name: 'tokens per second',
              kind: 'linear',
              domain: [0, 1.1 * Math.max(...throughput.map(({ value }) => value))],
              format: (value) => COMPACT.format(value),
            }}
          />
        </Card>
      )}
      {norms.length > 1 && (
        <Card title="Gradient norm" about="Before clipping, as the program reports it.">
          <StepChart
            label={`Gradient norm over ${norms.length} steps`}
            points={norms}
            y={{
              name: 'gradient norm',
              kind: 'linear',
              domain: extent(
                norms.map(({ value }) => value),
                { kind: 'linear', room: 0.06 },
              ),
              format: (value) => String(Number(value.toPrecision(3))),
            }}
          />
        </Card>
      )}
    </>
  )
})
