// Latencies that users see, simulated request by request: time to first token, time per output token.

import { seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Plot } from '../charts/plot.tsx'
import { Card, Empty } from '../ui/card.tsx'
import type { SimulatedLatency, HistogramBin } from './answer.ts'

export type LatencyViewProps = {
  readonly felt: SimulatedLatency | undefined
  readonly objectives: { readonly ttft_s: number; readonly tpot_s: number }
  readonly busy: boolean
}

export const SimulatedLatencyView = memo(({ felt, objectives, busy }: LatencyViewProps): ReactNode => (
  <Card title="Latency under load" busy={busy} about={felt && latencyText(felt)}>
    {felt ? (
      <>
        <Distribution name="Time to first token (TTFT)" parts={felt.ttft} limit={objectives.ttft_s} />
        <Distribution name="Time per output token (TPOT)" parts={felt.tpot} limit={objectives.tpot_s} />
      </>
    ) : (
      <Empty>{busy ? 'Simulating requests…' : 'The simulator does not know this engine or precision.'}</Empty>
    )}
  </Card>
))

const latencyText = ({ requests, replicas, attained, busy, ttft_p99_s, tpot_p99_s }: SimulatedLatency): string =>
  `${requests.toLocaleString('en')} simulated requests on all ${replicas} replicas, spares included: ${showPercent(attained)} within the SLO, replicas busy ${showPercent(busy, 0)} of the time; p99 TTFT ${showTime(ttft_p99_s)}, p99 TPOT ${showTime(tpot_p99_s)}.`

const showTime = (value: number): string => show(seconds(value), 's')

type DistributionProps = { readonly name: string; readonly parts: readonly HistogramBin[]; readonly limit: number }

function Distribution({ name, parts, limit }: DistributionProps): ReactNode {
  const low = Math.min(parts[0]?.from ?? limit, limit)
  const high = Math.max(parts.at(-1)?.to ?? limit, limit)
  const most = Math.max(...parts.map(({ count }) => count))
  return (
    <>
      <h3 className="quiet">{name}</h3>
      <Plot
        label={name}
        height={150}
        x={{ kind: 'log', domain: [low / 1.1, high * 1.15], format: showTime }}
        y={{ name: 'requests', kind: 'linear', domain: [0, 1.2 * most], format: () => '' }}
        series={[{ name: 'requests', points: parts.map(({ from, to, count }) => [Math.sqrt(from * to), count]) }]}
        marksTell
      >
        {(frame) => (
          <>
            {parts.map(({ from, to, count }) => (
              <rect
                key={from}
                className={from >= limit ? 'fill-waiting' : 'fill-work'}
                x={frame.x(from)}
                y={frame.y(count)}
                width={Math.max(1, frame.x(to) - frame.x(from) - 1.5)}
                height={frame.height - frame.y(count)}
                rx={2}
                onPointerEnter={() =>
                  frame.tip({
                    x: frame.x(to),
                    y: frame.y(count),
                    text: [`${count.toLocaleString('en')} requests: ${showTime(from)} to ${showTime(to)}`],
                  })
                }
                onPointerLeave={() => frame.tip(undefined)}
              />
            ))}
            <g className="mark" transform={`translate(${frame.x(limit)} 0)`}>
              <line y2={frame.height} />
              <text x={-5} y={9} textAnchor="end">
                SLO
              </text>
            </g>
          </>
        )}
      </Plot>
    </>
  )
}
