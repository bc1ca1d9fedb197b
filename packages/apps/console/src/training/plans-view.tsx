// The best plans side by side, and what was refused, with the reason.

import type { TrainingPlan } from '@ironlaw/contracts'
import { bytes, dollars, quantity, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import type { PlanAnswer } from './answer.ts'
import { strategyText } from '@ironlaw/planner'

export type PlansViewProps = {
  readonly answer: PlanAnswer
  readonly rank: number
  readonly onPick: (rank: number) => void
}

type PlanRow = { readonly at: number; readonly plan: TrainingPlan; readonly isChosen: boolean; readonly pick: () => void }

type Prediction = TrainingPlan['prediction']

const figureColumn = (
  name: string,
  value: (prediction: Prediction) => number | undefined,
  format: (value: number) => string,
): Column<PlanRow> => ({
  name,
  isNumber: true,
  value: ({ plan }) => value(plan.prediction),
  cell: ({ plan }) => {
    const figure = value(plan.prediction)
    return figure === undefined ? '' : format(figure)
  },
})

const showSeconds = (value: number): string => show(seconds(value), 's')

const COLUMNS: readonly Column<PlanRow>[] = [
  {
    name: 'Strategy',
    value: ({ plan }) => strategyText(plan.decision),
    cell: ({ plan, isChosen, pick }) => (
      <button type="button" className="row-pick" aria-pressed={isChosen} onClick={pick}>
        <code>{strategyText(plan.decision)}</code>
      </button>
    ),
  },
  figureColumn('Step', ({ step_s }) => step_s, showSeconds),
  {
    name: '90 % interval',
    isNumber: true,
    className: 'quiet',
    value: ({ plan: { prediction } }) => prediction.step_high_s - prediction.step_low_s,
    cell: ({ plan: { prediction } }) => `${showSeconds(prediction.step_low_s)} to ${showSeconds(prediction.step_high_s)}`,
  },
  figureColumn(
    'Per device',
    ({ tokens_per_s_per_device }) => tokens_per_s_per_device,
    (value) => show(quantity(value, 'token/s'), 'token/s'),
  ),
  figureColumn('MFU', ({ mfu }) => mfu, showPercent),
  figureColumn(
    'Memory',
    ({ memory_bytes }) => memory_bytes,
    (value) => show(bytes(value), 'B'),
  ),
  figureColumn('Whole run', ({ duration_s }) => duration_s, showSeconds),
  figureColumn(
    'Money',
    ({ cost_usd }) => cost_usd,
    (value) => show(dollars(value), 'USD'),
  ),
]

export const PlansView = memo(({ answer, rank, onPick }: PlansViewProps): ReactNode => {
  const { plans, rejected, tried, fitting, limit_bytes: limit } = answer
  return (
    <Card
      title="Plans"
      wide
      about={`${tried.toLocaleString('en')} legal strategies tried, ${fitting.toLocaleString('en')} fit into ${show(bytes(limit), 'B')}.${plans.length > 0 ? ' Select one to see its details.' : ''}`}
    >
      <DataTable
        name="plans"
        label="Table of plans"
        columns={COLUMNS}
        rows={plans.map((plan, at) => ({ at, plan, isChosen: at === rank, pick: () => onPick(at) }))}
        // By rank: while the user drags, rows are updated in place instead of rebuilt.
        keyOf={({ at }) => String(at)}
        rowProps={({ isChosen, pick }) => ({ className: isChosen ? 'chosen' : '', onClick: pick })}
        after={
          rejected.length > 0 && (
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
          )
        }
      />
    </Card>
  )
})
