// When the run ends, with failures: simulated many times over from published failure rates.

import { TRIAL_CAUSES, type ReliabilityForecast } from '@ironlaw/simulator'
import { dollars, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { type Frame, Plot } from '../charts/plot.tsx'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { Why } from '../ui/why.tsx'
import { bins } from './bins.ts'

export type FailuresViewProps = { readonly failures: ReliabilityForecast | undefined; readonly ready: boolean; readonly busy: boolean }

export const FailuresView = memo(({ failures, ready, busy }: FailuresViewProps): ReactNode => (
  <Card title="With failures" busy={busy} about={failures && <FailureSummary failures={failures} />}>
    {failures ? (
      <Distribution failures={failures} />
    ) : (
      <Empty>{ready ? 'A fleet this small is rarely interrupted.' : 'Simulating runs that fail…'}</Empty>
    )}
  </Card>
))

const FailureSummary = ({ failures: { range, mtbf_s } }: { readonly failures: ReliabilityForecast }): ReactNode => (
  <>
    Ends after{' '}
    <Why name="end with failures" label="End with failures">
      {showTime(range.median_s)}
    </Why>{' '}
    ({showTime(range.low_s)} to {range.endless > 0.05 && 'over '}
    {showTime(range.high_s)}, 90 %: {range.holds.join(', ')}); something fails every{' '}
    <Why name="time between failures" label="Time between failures">
      {showTime(mtbf_s)}
    </Why>
    .
  </>
)

function Distribution({ failures }: { readonly failures: ReliabilityForecast }): ReactNode {
  const { checkpoint, spares, goodput, money, outcome } = failures
  const losses = TRIAL_CAUSES.filter((cause) => cause !== 'useful' && outcome.shares[cause] > 0.0005).toSorted(
    (a, b) => outcome.shares[b] - outcome.shares[a],
  )
  return (
    <>
      <EndTimes failures={failures} />
      <dl className="sums">
        <Sum label="Checkpoint every" why="checkpoint interval" value={showTime(checkpoint.interval_s)} />
        <Sum label="Spare nodes" why="spare nodes" value={String(spares)} />
        <Sum label="Goodput" why="goodput" value={showPercent(goodput.scheduling * goodput.runtime)} />
        <Sum label="Lost money" why="lost money" value={money.wasted_usd === undefined ? '–' : show(dollars(money.wasted_usd), 'USD')} />
      </dl>
      <BarBox label="Time lost to failures" heads={['cause', 'time', 'share']}>
        <ul className="legend">
          {losses.map((cause) => (
            <li key={cause}>
              <i className="swatch waiting" />
              <span>{cause}</span>
              <span>{showTime(outcome.shares[cause] * outcome.wall_s.mean)}</span>
              <span className="quiet">{showPercent(outcome.shares[cause])}</span>
            </li>
          ))}
        </ul>
      </BarBox>
    </>
  )
}

type SumProps = { readonly label: string; readonly why: string; readonly value: string }

const Sum = ({ label, why, value }: SumProps): ReactNode => (
  <div>
    <dt>{label}</dt>
    <dd>
      <Why name={why} label={label}>
        {value}
      </Why>
    </dd>
  </div>
)

const showTime = (value: number): string => show(seconds(value), 's')
const DAY = 86_400
const PARTS = 28

function EndTimes({ failures: { range, work_s } }: { readonly failures: ReliabilityForecast }): ReactNode {
  const parts = bins(range.walls_s, PARTS)
  const last = range.walls_s.at(-1) ?? work_s
  const most = Math.max(...parts.map(({ count }) => count))
  const room = 0.04 * (last - work_s || work_s)
  return (
    <Plot
      label="Distribution of completion times"
      height={190}
      x={{
        name: 'ends after',
        kind: 'linear',
        domain: [(Math.min(work_s, range.walls_s[0] ?? work_s) - room) / DAY, (last + room) / DAY],
        format: (days) => showTime(days * DAY),
      }}
      y={{ name: 'runs', kind: 'linear', domain: [0, 1.25 * most], format: () => '' }}
      series={[{ name: 'runs', points: parts.map(({ from, to, count }) => [(from + to) / 2 / DAY, count]) }]}
      marksTell
    >
      {(frame) => (
        <>
          {parts.map(({ from, to, count }) => (
            <rect
              key={from}
              className="fill-work"
              x={frame.x(from / DAY)}
              y={frame.y(count)}
              width={Math.max(2, frame.x(to / DAY) - frame.x(from / DAY) - 1.5)}
              height={frame.height - frame.y(count)}
              rx={2}
              onPointerEnter={() =>
                frame.tip({
                  x: frame.x(to / DAY),
                  y: frame.y(count),
                  text: [`${count} runs end after ${showTime(from)} to ${showTime(to)}`],
                })
              }
              onPointerLeave={() => frame.tip(undefined)}
            />
          ))}
          <Mark frame={frame} days={work_s / DAY} y={-2} name="without failures" />
          <Mark frame={frame} days={range.median_s / DAY} y={14} name="median" />
        </>
      )}
    </Plot>
  )
}

type MarkProps = { readonly frame: Frame; readonly days: number; readonly y: number; readonly name: string }

const Mark = ({ frame, days, y, name }: MarkProps): ReactNode => (
  <g className="mark" transform={`translate(${frame.x(days)} 0)`}>
    <line y2={frame.height} />
    <text x={5} y={y}>
      {name}
    </text>
  </g>
)
