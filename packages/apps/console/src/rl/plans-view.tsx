// Placements and divisions of the fleet side by side, and why others are out.

import type { RlPlan } from '@ironlaw/contracts'
import { strategyText } from '@ironlaw/planner'
import { seconds, show } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { engineText, waitText } from './headline.tsx'
import type { RlAnswer } from './rl-answer.ts'

type PlanRow = { readonly at: number; readonly plan: RlPlan; readonly isChosen: boolean; readonly pick: () => void }

const showTime = (value: number): string => show(seconds(value), 's')

const timeColumn = (name: string, time: (plan: RlPlan) => number): Column<PlanRow> => ({
  name,
  isNumber: true,
  value: ({ plan }) => time(plan),
  cell: ({ plan }) => showTime(time(plan)),
})

const COLUMNS: readonly Column<PlanRow>[] = [
  {
    name: 'Placement',
    value: ({ plan }) => plan.placement,
    cell: ({ plan, isChosen, pick }) => (
      <button type="button" className="row-pick" aria-pressed={isChosen} onClick={pick}>
        {plan.placement}
      </button>
    ),
  },
  { name: 'Devices that generate', isNumber: true, value: ({ plan }) => plan.generation.devices },
  { name: 'Devices that learn', isNumber: true, value: ({ plan }) => plan.trainer.fleet.devices },
  { name: 'Engines', value: ({ plan }) => engineText(plan), cell: ({ plan }) => <code>{engineText(plan)}</code> },
  {
    name: 'Trainer',
    value: ({ plan }) => strategyText(plan.trainer.decision),
    cell: ({ plan }) => <code>{strategyText(plan.trainer.decision)}</code>,
  },
  timeColumn('Step', ({ step_s }) => step_s),
  {
    name: '90 % interval',
    isNumber: true,
    className: 'quiet',
    value: ({ plan }) => plan.step_high_s - plan.step_low_s,
    cell: ({ plan }) => `${showTime(plan.step_low_s)} to ${showTime(plan.step_high_s)}`,
  },
  timeColumn('Generating', ({ generate_s }) => generate_s),
  timeColumn('Learning', ({ score_s, update_s }) => score_s + update_s),
  timeColumn('Weight sync', ({ sync_s }) => sync_s),
  { name: 'Idle', value: ({ plan }) => waitText(plan) },
]

export type RlPlansProps = { readonly answer: RlAnswer; readonly rank: number; readonly onPick: (rank: number) => void }

export const RlPlans = memo(({ answer: { plans, rejected }, rank, onPick }: RlPlansProps): ReactNode => (
  <Card title="Placements" wide about="Each division of the fleet planned in full, the shortest step first. Select one to see its details.">
    <DataTable
      name="plans"
      label="Table of placements"
      columns={COLUMNS}
      rows={plans.map((plan, at) => ({ at, plan, isChosen: at === rank, pick: () => onPick(at) }))}
      keyOf={({ at }) => String(at)}
      rowProps={({ isChosen, pick }) => ({ className: isChosen ? 'chosen' : '', onClick: pick })}
    />
    {rejected.length > 0 && (
      <details className="refusals" open={plans.length === 0}>
        <summary>Refused</summary>
        <ul>
          {rejected.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      </details>
    )}
  </Card>
))
