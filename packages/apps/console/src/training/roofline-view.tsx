// The operators of the model under the roofs of the device: left of the ridge memory binds, right of it arithmetic.

import { flopPerSecond, quantity, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Dot, pathOf, Plot } from '../charts/plot.tsx'
import { Card } from '../ui/card.tsx'
import { Why } from '../ui/why.tsx'
import type { OperatorPoint, RooflinePicture } from './answer.ts'

export const RooflineView = memo(({ roofline }: { readonly roofline: RooflinePicture }): ReactNode => {
  const { operators, ridge } = roofline
  const bound = operators.filter((each) => each.bound === 'memory')
  const all = operators.reduce((sum, { time_s }) => sum + time_s, 0)
  const share = bound.reduce((sum, { time_s }) => sum + time_s, 0) / all
  return (
    <Card
      title="Roofline"
      about={
        <>
          Forward pass of one microbatch, undivided. Left of{' '}
          <Why name="ridge" label="Ridge point">
            {show(ridge.value, 'FLOP/B')}
          </Why>{' '}
          memory binds: {showPercent(share, 0)} of the time at best.
        </>
      }
    >
      <Roofs roofline={roofline} />
    </Card>
  )
})

const decade = (value: number, round: (value: number) => number): number => 10 ** round(Math.log10(value))

function Roofs({ roofline: { peak, bandwidth, ridge, operators } }: { readonly roofline: RooflinePicture }): ReactNode {
  const intensities = operators.map(({ intensity }) => intensity)
  const least = decade(Math.min(1, ...intensities) / 1.3, Math.floor)
  const most = decade(2 * Math.max(ridge.value, ...intensities), Math.ceil)
  const longest = Math.max(...operators.map(({ time_s }) => time_s))
  return (
    <Plot
      label={`Roofline with ${operators.length} operators`}
      height={310}
      x={{ name: 'FLOP per byte', kind: 'log', domain: [least, most], format: (value) => show(quantity(value, '1'), '1') }}
      y={{
        kind: 'log',
        domain: [decade(least * bandwidth.value, Math.floor), 4 * peak.value],
        format: (value) => show(flopPerSecond(value), 'FLOP/s'),
        name: 'FLOP/s',
      }}
      series={operators.map(({ name, intensity, attainable }) => ({ name, points: [[intensity, attainable]] }))}
      marksTell
    >
      {(frame) => (
        <>
          <path
            className="roof"
            d={pathOf(
              [
                [least, least * bandwidth.value],
                [ridge.value, peak.value],
                [most, peak.value],
              ],
              frame,
            )}
          />
          <text className="dot-name" x={frame.width} y={frame.y(peak.value) - 24} textAnchor="end">
            {show(peak.value, 'FLOP/s')}
          </text>
          {operators
            .toSorted((a, b) => b.time_s - a.time_s)
            .map((each) => (
              <Dot
                key={each.name}
                at={[each.intensity, each.attainable]}
                radius={4 + 13 * Math.sqrt(each.time_s / longest)}
                className={each.bound === 'memory' ? 'fill-exchange faint' : 'fill-work faint'}
                frame={frame}
                tip={pointLines(each)}
              />
            ))}
        </>
      )}
    </Plot>
  )
}

const pointLines = ({ name, intensity, attainable, time_s, bound }: OperatorPoint): readonly string[] => [
  name,
  `${show(quantity(intensity, 'FLOP/B'), 'FLOP/B')}, at most ${show(flopPerSecond(attainable), 'FLOP/s')}`,
  `${show(seconds(time_s), 's')} in all layers at best; ${bound} binds`,
]
