// Time against money: the best plan for every fleet size worth having. A point switches to that fleet.

import type { TrainingPlan } from '@ironlaw/contracts'
import { dollars, joules, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Dot, pathOf, Plot } from '../charts/plot.tsx'
import { extent } from '../charts/scale.ts'
import { Card, Empty } from '../ui/card.tsx'
import { strategyText } from '@ironlaw/planner'

const DAY = 86_400

export type FrontViewProps = {
  readonly front: readonly TrainingPlan[] | undefined
  readonly current: TrainingPlan
  readonly busy: boolean
  readonly onPick: (devices: number) => void
}

export const FrontView = memo(({ front, current, busy, onPick }: FrontViewProps): ReactNode => {
  const priced = current.prediction.cost_usd !== undefined
  return (
    <Card
      title={priced ? 'Time against money' : 'Time against energy'}
      about="More devices are faster and waste more. Each point is the best plan of a smaller fleet; select one to switch to it."
      busy={busy}
    >
      {front && front.length > 0 ? (
        <Front front={front} current={current} priced={priced} onPick={onPick} />
      ) : (
        <Empty>{front ? 'Nothing fits on any smaller fleet.' : 'Searching smaller fleets…'}</Empty>
      )}
    </Card>
  )
})

type FrontProps = {
  readonly front: readonly TrainingPlan[]
  readonly current: TrainingPlan
  readonly priced: boolean
  readonly onPick: (devices: number) => void
}

function Front({ front, current, priced, onPick }: FrontProps): ReactNode {
  const costOf = ({ prediction }: TrainingPlan): number => (priced ? (prediction.cost_usd ?? 0) : (prediction.energy_j ?? 0))
  const showCost = (value: number): string => (priced ? show(dollars(value), 'USD') : show(joules(value), 'J'))
  const planPosition = ({ prediction, ...plan }: TrainingPlan): readonly [number, number] => [
    prediction.duration_s / DAY,
    costOf({ prediction, ...plan }),
  ]
  const all = [...front, current].map(planPosition)
  return (
    <Plot
      label={`Front of ${front.length} fleets, time against ${priced ? 'money' : 'energy'}`}
      height={290}
      x={{
        name: 'whole run',
        kind: 'log',
        domain: extent(
          all.map(([days]) => days),
          { kind: 'log', room: 0.12 },
        ),
        format: (days) => show(seconds(days * DAY), 's'),
      }}
      y={{
        kind: 'linear',
        domain: extent(
          all.map(([, value]) => value),
          { kind: 'linear', room: 0.18 },
        ),
        format: showCost,
        name: priced ? 'USD' : 'J',
      }}
      series={front.map((plan) => ({ name: `${plan.fleet.devices} devices`, points: [planPosition(plan)] }))}
      marksTell
    >
      {(frame) => (
        <>
          <path className="front" d={pathOf(front.map(planPosition), frame)} />
          {front.map((plan) => (
            <Dot
              key={plan.fleet.devices}
              at={planPosition(plan)}
              radius={6.5}
              className="fill-work"
              frame={frame}
              tip={[
                `${plan.fleet.devices.toLocaleString('en')} devices`,
                `${show(seconds(plan.prediction.duration_s), 's')}, ${showCost(costOf(plan))}, MFU ${showPercent(plan.prediction.mfu)}`,
                strategyText(plan.decision),
              ]}
              onPick={() => onPick(plan.fleet.devices)}
            />
          ))}
          {front.map((plan) => (
            <text
              key={plan.fleet.devices}
              className="dot-name"
              x={frame.x(planPosition(plan)[0])}
              y={frame.y(planPosition(plan)[1]) - 14}
              textAnchor="middle"
            >
              {plan.fleet.devices.toLocaleString('en')}
            </text>
          ))}
          <circle className="ring" cx={frame.x(planPosition(current)[0])} cy={frame.y(planPosition(current)[1])} r={11} />
        </>
      )}
    </Plot>
  )
}
