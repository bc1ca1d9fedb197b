// Charts around the answer: what moves when one thing is chosen differently.

import type { SelectionCase, SelectionWorth } from '@ironlaw/planner'
import { quantity, show, showPercent } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { Lines, Plot } from '../charts/plot.tsx'
import { VerticalMark } from '../charts/vertical-mark.tsx'
import { Card } from '../ui/card.tsx'
import { epochCurves, PROXIES, proxyCurves, shareCurves } from './curves.ts'

const amount = (value: number): string => show(quantity(value, '1'), '1')
const HEIGHT = 250

type CaseProps = { readonly of: SelectionCase }
type AnswerProps = CaseProps & { readonly worth: SelectionWorth }

const highest = (series: ReturnType<typeof shareCurves>): number => Math.max(...series.flatMap(({ points }) => points.map(([, y]) => y)))

export function ShareCard({ of }: CaseProps): ReactNode {
  const series = useMemo(() => shareCurves(of), [of])
  return (
    <Card
      title="Time by kept share"
      about="Selecting and training together; the fewer documents are kept, the more time scoring them all takes of it."
    >
      <Plot
        label="Time by kept share"
        height={HEIGHT}
        x={{ name: 'kept share', kind: 'linear', domain: [0, 1], format: (share) => showPercent(share, 0) }}
        y={{
          name: 'time, of training on the whole pool',
          kind: 'linear',
          domain: [0, 1.15 * highest(series)],
          format: (share) => showPercent(share, 0),
        }}
        series={series}
      >
        {(frame) => (
          <>
            <Lines series={series} frame={frame} />
            <VerticalMark at={of.keep} name={showPercent(of.keep, 0)} title={`${showPercent(of.keep, 0)} are kept`} frame={frame} />
          </>
        )}
      </Plot>
    </Card>
  )
}

export function ProxyCard({ of, worth }: AnswerProps): ReactNode {
  const series = useMemo(() => proxyCurves(of), [of])
  const overheads = series.flatMap(({ points }) => points.map(([, y]) => y))
  const most = worth.proxy.mostParams
  return (
    <Card
      title="Size of the proxy"
      about={`Time of selecting as a share of training on what is kept. ${most >= 1 ? `Up to ${amount(most)} parameters it pays.` : 'No proxy is small enough.'}`}
    >
      <Plot
        label="Size of the proxy"
        height={HEIGHT}
        x={{ name: 'parameters of the proxy', kind: 'log', domain: [PROXIES[0] ?? 1, PROXIES.at(-1) ?? 1], format: amount }}
        y={{ name: 'selecting, of training', kind: 'log', domain: [Math.min(...overheads), Math.max(...overheads)], format: shareText }}
        series={series}
      >
        {(frame) => (
          <>
            <Lines series={series} frame={frame} />
            <VerticalMark
              at={of.proxy.params}
              name={amount(of.proxy.params)}
              title={`A proxy of ${amount(of.proxy.params)} parameters`}
              frame={frame}
            />
          </>
        )}
      </Plot>
    </Card>
  )
}

/** Over many orders of magnitude. */
const shareText = (share: number): string => `${Number((100 * share).toPrecision(2)).toLocaleString('en')} %`

export function EpochsCard({ of, worth }: AnswerProps): ReactNode {
  const series = useMemo(() => epochCurves(of), [of])
  const { stopAt } = worth.repetition
  const repeated = series[0]?.points.at(-1)
  return (
    <Card
      title="Worth of epochs"
      wide
      about={`Fresh tokens that repeating ${amount(worth.keptTokens)} tokens is worth (data/repeated-tokens).${stopAt === undefined ? '' : ` From epoch ${stopAt} on, another one is worth less than half of fresh text.`}`}
    >
      <Plot
        label="Worth of epochs"
        height={280}
        x={{
          name: 'epochs',
          kind: 'linear',
          domain: [1, repeated?.[0] ?? 1],
          format: (epoch) => (Number.isInteger(epoch) ? String(epoch) : ''),
        }}
        y={{ name: 'fresh tokens', kind: 'linear', domain: [0, 1.2 * (repeated?.[1] ?? 1)], format: amount }}
        series={series}
      >
        {(frame) => (
          <>
            <Lines
              series={series.map((each) => ({ ...each, points: each.points.filter(([, y]) => y <= frame.y.domain[1]) }))}
              frame={frame}
            />
            {stopAt !== undefined && (
              <VerticalMark
                at={stopAt}
                name={`epoch ${stopAt}`}
                title={`From epoch ${stopAt} on, another one is worth less than half of fresh text`}
                frame={frame}
              />
            )}
          </>
        )}
      </Plot>
    </Card>
  )
}
