// The best plans side by side, and what was refused, with the reason.

import type { TrainingPlan } from '@ironlaw/contracts'
import { bytes, dollars, quantity, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { Heads } from '../ui/heads.tsx'
import { TableBox } from '../ui/table-box.tsx'
import type { PlanAnswer } from './answer.ts'
import { strategyText } from '@ironlaw/planner'

export type PlansViewProps = {
  readonly answer: PlanAnswer
  readonly rank: number
  readonly onPick: (rank: number) => void
}

export const PlansView = memo(({ answer, rank, onPick }: PlansViewProps): ReactNode => {
  const { plans, rejected, tried, fitting, limit_bytes: limit } = answer
  return (
    <Card
      title="Plans"
      wide
      about={`${tried.toLocaleString('en')} legal strategies tried, ${fitting.toLocaleString('en')} fit into ${show(bytes(limit), 'B')}.${plans.length > 0 ? ' Select one to see its details.' : ''}`}
    >
      <TableBox label="Table of plans">
        <table>
          <thead>
            <tr>
              <Heads names={['Strategy']} />
              <Heads names={['Step', '90 % interval', 'Per device', 'MFU', 'Memory', 'Whole run', 'Money']} numbers />
            </tr>
          </thead>
          <tbody>
            {/* Keyed by rank: while the user drags, rows are updated in place instead of rebuilt. */}
            {plans.map((plan, at) => (
              <Row key={at} plan={plan} chosen={at === rank} onPick={() => onPick(at)} />
            ))}
          </tbody>
          {rejected.length > 0 && (
            <tbody className="rejected">
              <tr>
                <th scope="rowgroup" colSpan={8}>
                  {plans.length > 0 ? 'Faster, but refused' : 'Refused'}
                </th>
              </tr>
              {rejected.map(({ strategy, step_s, reason, remedy }, at) => (
                <tr key={at}>
                  <td>
                    <code>{strategyText(strategy)}</code>
                  </td>
                  <td className="number">{show(seconds(step_s), 's')}</td>
                  <td colSpan={6}>
                    {reason}
                    {remedy === '' ? '' : `; would fit: ${remedy}`}
                  </td>
                </tr>
              ))}
            </tbody>
          )}
        </table>
      </TableBox>
    </Card>
  )
})

const Row = ({
  plan,
  chosen,
  onPick,
}: {
  readonly plan: TrainingPlan
  readonly chosen: boolean
  readonly onPick: () => void
}): ReactNode => {
  const { decision, prediction } = plan
  return (
    <tr className={chosen ? 'chosen' : ''} onClick={onPick}>
      <td>
        <button type="button" className="row-pick" aria-pressed={chosen} onClick={onPick}>
          <code>{strategyText(decision)}</code>
        </button>
      </td>
      <td className="number">{show(seconds(prediction.step_s), 's')}</td>
      <td className="number quiet">
        {show(seconds(prediction.step_low_s), 's')} to {show(seconds(prediction.step_high_s), 's')}
      </td>
      <td className="number">{show(quantity(prediction.tokens_per_s_per_device, 'token/s'), 'token/s')}</td>
      <td className="number">{showPercent(prediction.mfu)}</td>
      <td className="number">{show(bytes(prediction.memory_bytes), 'B')}</td>
      <td className="number">{show(seconds(prediction.duration_s), 's')}</td>
      <td className="number">{prediction.cost_usd === undefined ? '' : show(dollars(prediction.cost_usd), 'USD')}</td>
    </tr>
  )
}
