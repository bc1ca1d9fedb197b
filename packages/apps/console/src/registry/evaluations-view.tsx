// How a version was evaluated: a row for each evaluation that names it, and one of them in full.

import type { ModelView } from '@ironlaw/contracts/model-registry'
import { type ReactNode, useMemo } from 'react'
import { text } from '../address.ts'
import { keepProject, versionHref } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { IntervalBar } from '../ui/interval-bar.tsx'
import { useAddress } from '../use-address.ts'
import { EvaluationCards } from './evaluation-cards.tsx'
import { scaleOf, showBetween, showFigure } from './figure-text.ts'
import { type ScoredEvaluation, scoredEvaluation } from './scored-evaluation.ts'
import { shortId } from './version-words.tsx'

const FIELDS = { evaluation: text('') }

export function EvaluationsView({ model }: { readonly model: ModelView }): ReactNode {
  const { id, project, evaluations } = model
  const [{ evaluation }] = useAddress('registry', FIELDS)
  const rows = useMemo(() => evaluations.map(scoredEvaluation), [evaluations])
  const shown = evaluations.find((each) => each.id === evaluation) ?? evaluations[0]
  const columns = useMemo(() => columnsOf({ id, project, shown: shown?.id ?? '', rows }), [id, project, shown?.id, rows])
  if (!shown)
    return (
      <Empty>
        No evaluation names this version. <code>ironlaw evaluate run SPEC --to results</code> makes one,{' '}
        <code>ironlaw artifact add results --type evaluation --fact model={shortId(id)}</code> adds it; the fact takes the whole id.
      </Empty>
    )
  return (
    <>
      <div className="cards">
        <Card title="Evaluations" about="Scores as they were when each was added, with their 90 % intervals." wide>
          <DataTable
            name="evaluations"
            label="Table of evaluations"
            columns={columns}
            rows={rows}
            keyOf={(each) => each.id}
            rowProps={(each) => ({ className: each.id === shown.id ? 'chosen' : '' })}
          />
        </Card>
      </div>
      <EvaluationCards key={shown.id} project={project} artifact={shown.id} name={shown.names[0] ?? shortId(shown.id)} />
    </>
  )
}

type ShownEvaluations = {
  readonly id: string
  readonly project: string
  readonly shown: string
  readonly rows: readonly ScoredEvaluation[]
}

function columnsOf({ id, project, shown, rows }: ShownEvaluations): readonly Column<ScoredEvaluation>[] {
  const domain = scaleOf(rows.flatMap(({ score }) => score ?? []))
  return [
    {
      name: 'Evaluation',
      className: 'wraps',
      value: ({ name }) => name,
      cell: (each) => (
        <a
          href={keepProject(versionHref(project, id, { view: 'evaluations', evaluation: each.id }))}
          aria-current={each.id === shown ? 'true' : undefined}
        >
          {each.name}
        </a>
      ),
    },
    { name: 'Metric', value: ({ metric }) => metric },
    {
      name: 'Score',
      isNumber: true,
      value: ({ score }) => score?.value,
      cell: ({ score }) => (score ? showFigure(score.value) : '–'),
    },
    {
      name: '90 % interval',
      isSortable: false,
      value: ({ score }) => score && showBetween(score),
      cell: ({ score }) =>
        score ? (
          <span className="with-interval">
            {showBetween(score)} <IntervalBar {...score} domain={domain} />
          </span>
        ) : (
          '–'
        ),
    },
    { name: 'Items', isNumber: true, value: ({ count }) => count, cell: ({ count }) => count?.toLocaleString('en') ?? '–' },
    { name: 'Instrument', value: ({ instrument }) => instrument, cell: ({ instrument }) => <code>{instrument?.slice(0, 12) ?? '–'}</code> },
    { name: 'Added', isNumber: true, value: (each) => each.created_at, cell: (each) => showAgo(each.created_at) },
  ]
}
