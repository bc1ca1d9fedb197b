// The best deployments side by side, and why the other shapes were refused.

import { poolText, type RejectedLayout } from '@ironlaw/planner'
import { dollars, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import type { ServingAnswer } from './answer.ts'

export type ServingPlansProps = { readonly answer: ServingAnswer; readonly rank: number; readonly onPick: (rank: number) => void }

type PlanRow = { readonly plan: ServingAnswer['plans'][number]; readonly isChosen: boolean; readonly pick: () => void }

const shapesText = ({ plan: { pools } }: PlanRow): string => pools.map(poolText).join(' + ')

const COLUMNS: readonly Column<PlanRow>[] = [
  {
    name: 'Shape',
    value: shapesText,
    cell: (row) => (
      <button type="button" className="row-pick" aria-pressed={row.isChosen} onClick={row.pick}>
        <code>{shapesText(row)}</code>
      </button>
    ),
  },
  {
    name: 'Accelerator',
    value: ({ plan: { accelerator, precision, prediction } }) =>
      `${accelerator}, ${precision}${prediction.unmeasured ? ' (no kernel measurements)' : ''}`,
  },
  { name: 'Devices', isNumber: true, value: ({ plan }) => plan.devices, cell: ({ plan }) => plan.devices.toLocaleString('en') },
  {
    name: 'Cost',
    isNumber: true,
    value: ({ plan }) => plan.prediction.usd_per_hour,
    cell: ({ plan: { prediction } }) => (prediction.usd_per_hour === undefined ? '' : `${show(dollars(prediction.usd_per_hour), 'USD')}/h`),
  },
  {
    name: 'Per 1M output tokens',
    isNumber: true,
    value: ({ plan }) => plan.prediction.usd_per_million_tokens,
    cell: ({ plan: { prediction } }) =>
      prediction.usd_per_million_tokens === undefined ? '' : show(dollars(prediction.usd_per_million_tokens), 'USD'),
  },
  {
    name: 'TTFT',
    isNumber: true,
    value: ({ plan }) => plan.prediction.ttft_s,
    cell: ({ plan }) => show(seconds(plan.prediction.ttft_s), 's'),
  },
  {
    name: 'TPOT',
    isNumber: true,
    value: ({ plan }) => plan.prediction.tpot_s,
    cell: ({ plan }) => show(seconds(plan.prediction.tpot_s), 's'),
  },
  {
    name: 'Probability',
    isNumber: true,
    value: ({ plan }) => plan.prediction.probability,
    cell: ({ plan: { prediction } }) => (prediction.probability === undefined ? '' : showPercent(prediction.probability, 0)),
  },
  {
    name: 'Requests per replica',
    isNumber: true,
    value: ({ plan }) => plan.prediction.replica_requests_per_s,
    cell: ({ plan }) => `${plan.prediction.replica_requests_per_s.toPrecision(3)}/s`,
  },
]

export const ServingPlans = memo(({ answer: { plans, tried, rejected }, rank, onPick }: ServingPlansProps): ReactNode => (
  <Card title="Deployments" wide about={`${tried} shapes tried, ${rejected.length} refused. Select one to see its details.`}>
    <DataTable
      name="plans"
      label="Table of deployments"
      columns={COLUMNS}
      rows={plans.map((plan, at) => ({ plan, isChosen: at === rank, pick: () => onPick(at) }))}
      keyOf={({ plan }) => plan.id}
      rowProps={({ isChosen, pick }) => ({ className: isChosen ? 'chosen' : '', onClick: pick })}
    />
    <RejectedShapes rejected={rejected} open={plans.length === 0} />
  </Card>
))

const RejectedShapes = ({ rejected, open }: { readonly rejected: readonly RejectedLayout[]; readonly open: boolean }): ReactNode => (
  <details className="refusals" open={open}>
    <summary>Refused, by reason</summary>
    <ul>
      {[...Map.groupBy(rejected, ({ reason }) => reason)].map(([reason, all]) => (
        <li key={reason}>
          <strong>{all.length}</strong> {reason}{' '}
          <span className="quiet">
            {all
              .slice(0, 4)
              .map(({ accelerator, precision, layout }) => [accelerator, precision, layout].filter(Boolean).join(' '))
              .join('; ')}
            {all.length > 4 ? '; …' : ''}
          </span>
        </li>
      ))}
    </ul>
  </details>
)
