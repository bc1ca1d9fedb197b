// Throughput against interactivity: tokens per device, and tokens that one user sees.

import type { FrontPoint } from '@ironlaw/planner'
import { seconds, show } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Dot, pathOf, Plot } from '../charts/plot.tsx'
import { extent } from '../charts/scale.ts'
import { Card, Empty } from '../ui/card.tsx'

export type ServingFrontProps = { readonly front: readonly FrontPoint[] | undefined; readonly tpot_s: number; readonly busy: boolean }

export const ServingFront = memo(({ front, tpot_s, busy }: ServingFrontProps): ReactNode => (
  <Card
    title="Throughput against interactivity"
    busy={busy}
    about="Each point is a shape and a concurrency that no other point beats on both axes; left of the line users wait too long."
  >
    {front && front.length > 0 ? (
      <Front front={front} tpot_s={tpot_s} />
    ) : (
      <Empty>{front ? 'No shape holds the model.' : 'Trying every shape…'}</Empty>
    )}
  </Card>
))

const pointPosition = (point: FrontPoint): readonly [number, number] => [
  point.interactivity_tokens_per_s,
  point.output_tokens_per_s_per_device,
]
const rate = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en')

function Front({ front, tpot_s }: { readonly front: readonly FrontPoint[]; readonly tpot_s: number }): ReactNode {
  const all = front.map(pointPosition)
  return (
    <Plot
      label={`Front of ${front.length} points, tokens a second of a device against tokens a second of a user`}
      height={300}
      x={{
        name: 'tokens/s per user',
        kind: 'log',
        domain: extent([...all.map(([x]) => x), 1 / tpot_s], { kind: 'log', room: 0.05 }),
        format: rate,
      }}
      y={{
        name: 'tokens/s per device',
        kind: 'log',
        domain: extent(
          all.map(([, y]) => y),
          { kind: 'log', room: 0.08 },
        ),
        format: rate,
      }}
      series={front.map((point) => ({ name: `${point.accelerator}, ${point.precision}, ${point.layout}`, points: [pointPosition(point)] }))}
      marksTell
    >
      {(frame) => (
        <>
          <path className="front" d={pathOf(all, frame)} />
          <g className="mark" transform={`translate(${frame.x(1 / tpot_s)} 0)`}>
            <line y2={frame.height} />
            <text x={5} y={9}>
              {show(seconds(tpot_s), 's')} a token
            </text>
          </g>
          {front.map((point) => (
            <Dot
              key={`${point.accelerator} ${point.precision} ${point.layout} ${point.concurrency}`}
              at={pointPosition(point)}
              radius={5.5}
              className={point.interactivity_tokens_per_s * tpot_s >= 1 ? 'fill-work' : 'fill-waiting'}
              frame={frame}
              tip={[
                `${point.accelerator}, ${point.precision}, ${point.layout}`,
                `${rate(point.interactivity_tokens_per_s)} tokens/s per user, ${rate(point.output_tokens_per_s_per_device)} per device`,
                `${point.concurrency} at once, first token after ${show(seconds(point.ttft_s), 's')}`,
              ]}
            />
          ))}
        </>
      )}
    </Plot>
  )
}
