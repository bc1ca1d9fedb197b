// A day of autoscaling: replicas by hour, compared with the peak number all day.

import type { ServingPlan } from '@ironlaw/contracts'
import { dollars, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Plot } from '../charts/plot.tsx'
import { Card } from '../ui/card.tsx'
import { Slider } from '../ui/slider.tsx'
import { hoursOf } from './day.ts'

const NIGHTS = Array.from({ length: 21 }, (_, at) => 5 * at)

export type DayViewProps = { readonly plan: ServingPlan; readonly night: number; readonly onNight: (night: number) => void }

export const DayView = memo(({ plan, night, onNight }: DayViewProps): ReactNode => {
  const pool = plan.pools.at(-1)
  const { usd_per_hour, replica_requests_per_s } = plan.prediction
  const peak = pool?.replicas ?? 1
  const hours = hoursOf({ peak_requests_per_s: plan.traffic.requests_per_s, replica_requests_per_s, spare: plan.spare, night: night / 100 })
  const used = hours.reduce((sum, { replicas }) => sum + replicas, 0)
  const saved = 1 - used / (24 * peak)
  return (
    <Card
      title="A day of autoscaling"
      wide
      about={`${used} replica-hours instead of ${24 * peak}: ${showPercent(saved, 0)} less${usd_per_hour === undefined ? '' : `, ${show(dollars(24 * usd_per_hour * saved), 'USD')} a day`}. The curve of the day is assumed.`}
    >
      <Plot
        label="Replicas by hour"
        height={200}
        x={{ name: 'hour of the day', kind: 'linear', domain: [0, 24], format: String }}
        y={{
          kind: 'linear',
          domain: [0, 1.15 * peak],
          format: (value) => (Number.isInteger(value) ? String(value) : ''),
          name: 'replicas',
        }}
        series={[
          { name: 'replicas', points: hours.map(({ hour, replicas }) => [hour + 0.5, replicas]) },
          { name: 'requests per second', points: hours.map(({ hour, requests_per_s }) => [hour + 0.5, requests_per_s]) },
        ]}
        marksTell
      >
        {(frame) => (
          <>
            {hours.map(({ hour, replicas, requests_per_s }) => (
              <rect
                key={hour}
                className="fill-work"
                x={frame.x(hour) + 1}
                y={frame.y(replicas)}
                width={Math.max(1, frame.x(hour + 1) - frame.x(hour) - 2)}
                height={frame.height - frame.y(replicas)}
                rx={2}
                onPointerEnter={() =>
                  frame.tip({
                    x: frame.x(hour + 1),
                    y: frame.y(replicas),
                    text: [`${replicas} replicas`, `${requests_per_s.toFixed(1)} requests/s at ${hour}:00`],
                  })
                }
                onPointerLeave={() => frame.tip(undefined)}
              />
            ))}
            <line className="ceiling" x2={frame.width} y1={frame.y(peak)} y2={frame.y(peak)} />
          </>
        )}
      </Plot>
      <Slider
        label="Quietest hour, of the peak"
        ladder={NIGHTS}
        value={night}
        shown={`${night} %`}
        typed={(text) => {
          const value = Number(text.replace('%', ''))
          return value >= 0 && value <= 100 ? Math.round(value) : undefined
        }}
        onChange={onNight}
      />
    </Card>
  )
})
