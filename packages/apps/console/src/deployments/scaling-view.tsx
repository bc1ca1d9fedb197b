// Autoscaling: the desired number of replicas over time, between minimum and maximum, and why it changed.

import type { EventView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import { memo, type ReactNode } from 'react'
import { Lines, Plot } from '../charts/plot.tsx'
import { showClock, showDuration } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { fillHistory, scalingHistory } from './scaling.ts'
import { showMoment } from './words.tsx'

/** An hour: traffic is known for half an hour, and what led to its replica counts came before it. */
const SHOWN_S = 3600

type Rule = NonNullable<DeploymentView['spec']['scaling']>

export type ScalingViewProps = {
  readonly deployment: DeploymentView
  readonly rule: Rule
  readonly events: readonly EventView[] | undefined
  readonly figures: DeploymentFigures | undefined
}

export const ScalingView = memo(({ deployment: { created_at: created, wanted }, rule, events, figures }: ScalingViewProps): ReactNode => {
  const now = Date.now() / 1000
  const since = Math.max(created, now - SHOWN_S)
  const { steps, changes } = scalingHistory(events ?? [], { since, now, wanted })
  const filled = figures ? fillHistory(figures, rule.tokens_per_s, now) : []
  const series = [
    { name: 'load, in fully used replicas', ink: 'waiting', points: filled },
    { name: 'wanted', ink: 'work', points: steps },
  ]
  const about = `From ${rule.min} to ${rule.max} replicas by need, each for ${rule.tokens_per_s.toLocaleString('en-US')} tokens a second; fewer when that was enough for ${showDuration(rule.down_after_s)}.`
  return (
    <Card title="Scaling" about={about} wide busy={!events}>
      <Plot
        label={`Desired replicas over ${showDuration(now - since)}`}
        height={180}
        x={{ name: 'time', kind: 'time', domain: [since, now], format: (at) => showClock(at).slice(0, 5) }}
        y={{ kind: 'linear', domain: [0, 1.1 * rule.max], format: (value) => Number(value.toFixed(2)).toString(), name: 'replicas' }}
        series={series}
      >
        {(frame) => (
          <>
            <line className="bound good" x2={frame.width} y1={frame.y(rule.max)} y2={frame.y(rule.max)} />
            <line className="bound good" x2={frame.width} y1={frame.y(rule.min)} y2={frame.y(rule.min)} />
            <Lines series={series} frame={frame} />
          </>
        )}
      </Plot>
      {events && changes.length === 0 && <Empty>The number of replicas has not changed in that time.</Empty>}
      <ul className="events tall" tabIndex={0} aria-label="Changes of the number, newest first">
        {changes.map(({ at, from, to, why }) => (
          <li key={`${at} ${to}`}>
            <time className="quiet">{showMoment(at)}</time> <strong>{`${from} → ${to}`}</strong> {why}
          </li>
        ))}
      </ul>
    </Card>
  )
})
