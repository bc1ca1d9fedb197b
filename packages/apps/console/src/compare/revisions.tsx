// Two revisions of a deployment: what changed, and the latencies of each.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { ReactNode } from 'react'
import { showPercent } from '@ironlaw/units'
import { type Summary, summaryOf } from '../deployments/summary.ts'
import { deploymentHref } from '../places.ts'
import { showDuration } from '../runs/run-words.tsx'
import { useResource } from '../runs/use-live.ts'
import { Card } from '../ui/card.tsx'
import { type DifferenceRow, numberRow } from './difference-row.ts'
import { DifferenceTable } from './difference-table.tsx'
import { fieldRows } from './field-rows.ts'

type RevisionsProps = { readonly deployment: DeploymentView; readonly left: number; readonly right: number }

export function ComparedRevisions({ deployment, left, right }: RevisionsProps): ReactNode {
  const answer = useResource('getDeploymentFigures', { name: deployment.name }, 0)
  const windows = answer?.ok ? answer.value.windows : []
  const heads = [`revision ${left}`, `revision ${right}`] as const
  const summary = (number: number): Summary => {
    const own = windows.filter(({ revision }) => revision === number)
    return summaryOf({ windows: own }, { now: own.at(-1)?.from_at ?? 0, objectives: undefined })
  }
  const revision = (number: number): object => deployment.revisions.find((each) => each.number === number) ?? {}
  const changes = fieldRows(revision(left), revision(right)).filter(({ path }) => path !== 'number' && path !== 'created_at')
  return (
    <div className="cards">
      <Card
        title="What changed"
        wide
        about={
          <>
            Of <a href={deploymentHref(deployment.name)}>{deployment.name}</a>. Environment by name; values are never shown.
          </>
        }
      >
        <DifferenceTable name="changes" label="Table of changes" heads={heads} rows={changes} empty="Both start the same way." />
      </Card>
      <Card title="How they answer" wide about="The last five minutes in which each had traffic, of the last half hour.">
        <DifferenceTable
          name="answers"
          label="Table of answers"
          heads={heads}
          rows={windows.length === 0 ? [] : answerRows(summary(left), summary(right))}
          empty={answer ? 'No traffic in the last half hour.' : 'Reading…'}
        />
      </Card>
    </div>
  )
}

const answerRows = (left: Summary, right: Summary): readonly DifferenceRow[] => [
  numberRow('TTFT, geometric mean', [left.ttft_s, right.ttft_s], showDuration),
  numberRow('TTFT p99', [left.ttft_p99_s, right.ttft_p99_s], showDuration),
  numberRow('TPOT, geometric mean', [left.tpot_s, right.tpot_s], showDuration),
  numberRow('TPOT p99', [left.tpot_p99_s, right.tpot_p99_s], showDuration),
  numberRow('requests answered', [left.answered, right.answered], (share) => showPercent(share, 2)),
]
