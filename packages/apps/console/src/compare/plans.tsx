// Two plans: where their decisions and predictions differ, figure by figure.

import type { Plan } from '@ironlaw/contracts/run-plan'
import type { ReactNode } from 'react'
import { usePlan } from '../runs/use-plan.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { DifferenceTable } from './difference-table.tsx'
import { fieldRows } from './field-rows.ts'

export function ComparedPlans({ left, right }: { readonly left: string; readonly right: string }): ReactNode {
  const first = usePlan<Plan>(left, 0)
  const second = usePlan<Plan>(right, 0)
  if (first && !first.ok) return <Refusal problem={first} />
  if (second && !second.ok) return <Refusal problem={second} />
  if (!first || !second) return <Empty>Reading both plans…</Empty>
  const rows = fieldRows(first.value, second.value)
  const [decisions, predictions] = [rows.filter(({ path }) => !isPrediction(path)), rows.filter(({ path }) => isPrediction(path))]
  const heads = [left, right] as const
  return (
    <div className="cards">
      <Card title="Predictions" wide about="Equal values are omitted.">
        <DifferenceTable
          name="predictions"
          label="Table of predictions"
          heads={heads}
          rows={predictions}
          empty="Both make the same predictions."
        />
      </Card>
      <Card title="Decisions" wide about="Model, fleet, batch and strategy. Equal values are omitted.">
        <DifferenceTable name="decisions" label="Table of decisions" heads={heads} rows={decisions} empty="Both make the same decisions." />
      </Card>
    </div>
  )
}

const isPrediction = (path = ''): boolean => path.startsWith('prediction.')
