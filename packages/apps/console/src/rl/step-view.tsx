// Where a step goes, and what one engine does in it.

import type { RlPlan } from '@ironlaw/contracts'
import { quantity, seconds, show, showShortPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { BarBox } from '../ui/bar-box.tsx'
import { Card } from '../ui/card.tsx'

const PARTS = [
  ['generate answers', 'generate_s', 'work'],
  ['score them', 'score_s', 'work'],
  ['update the weights', 'update_s', 'work'],
  ['sync weights to the engines', 'sync_s', 'exchange'],
  ['move states of the trainer', 'handover_s', 'exchange'],
] as const

const showTime = (value: number): string => show(seconds(value), 's')

export const RlStepView = memo(({ plan }: { readonly plan: RlPlan }): ReactNode => {
  const rows = PARTS.filter(([, part]) => plan[part] > 0)
  const longest = Math.max(...rows.map(([, part]) => plan[part]))
  const atOnce = plan.placement === 'separate' && plan.staleness > 0
  return (
    <Card
      title="Where the step goes"
      about={`${showTime(plan.step_s)}: ${atOnce ? 'engines and trainer work at once, and the longer side decides' : 'one after the other'}.`}
    >
      <BarBox label="Where the step goes" heads={['part', 'time', 'of the step']}>
        <ul className="fullness">
          {rows.map(([words, part, nature]) => (
            <li key={part}>
              <span>{words}</span>
              <span className="fullness-bar" aria-hidden="true">
                <i className={`swatch ${nature}`} style={{ width: `${(100 * plan[part]) / longest}%` }} />
              </span>
              <span>{showTime(plan[part])}</span>
              <span className="quiet">{showShortPercent(plan[part] / plan.step_s)}</span>
            </li>
          ))}
        </ul>
      </BarBox>
      <EngineFigures plan={plan} />
    </Card>
  )
})

const EngineFigures = ({ plan: { generation, updates, tokens_per_s_per_device } }: { readonly plan: RlPlan }): ReactNode => (
  <dl className="sums">
    <div>
      <dt>Answers per engine</dt>
      <dd>{Math.ceil(generation.answersPerReplica).toLocaleString('en')}</dd>
    </div>
    <div>
      <dt>Decoded at once</dt>
      <dd>{Math.floor(generation.atOnce).toLocaleString('en')}</dd>
    </div>
    <div>
      <dt>After half are done</dt>
      <dd>{showTime(generation.tail_s)}</dd>
    </div>
    <div>
      <dt>Generated per device</dt>
      <dd>{show(quantity(generation.tokens_per_s_per_device, 'token/s'), 'token/s')}</dd>
    </div>
    <div>
      <dt>Learned from per device</dt>
      <dd>{show(quantity(tokens_per_s_per_device, 'token/s'), 'token/s')}</dd>
    </div>
    <div>
      <dt>Updates per step</dt>
      <dd>{updates.toLocaleString('en')}</dd>
    </div>
  </dl>
)
