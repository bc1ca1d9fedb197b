// One evaluation in full, from its evaluation.json: metrics and slices with their intervals, and the instrument.

import { EVALUATION, EVALUATION_FILE, type Evaluation, type EvaluationInterval, itemsAsked } from '@ironlaw/contracts/evaluation'
import { seconds, show, showPercent } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { type ArtifactPlace, useJson } from '../datasets/artifact-files.ts'
import { fieldRows } from '../compare/field-rows.ts'
import { artifactHref, compareHref, keepProject } from '../places.ts'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Fact } from '../ui/fact.tsx'
import { IntervalBar } from '../ui/interval-bar.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { scaleOf, showBetween, showFigure } from './figure-text.ts'

type EvaluationCardsProps = ArtifactPlace & { readonly name: string }

export function EvaluationCards({ name, ...place }: EvaluationCardsProps): ReactNode {
  const answer = useJson({ ...place, path: EVALUATION_FILE }, parseEvaluation)
  if (!answer) return <Empty>Loading…</Empty>
  if (!answer.ok) return <Refusal problem={answer} />
  const evaluation = answer.value
  const { instrument, metrics, slices, sequential } = evaluation
  return (
    <div className="cards">
      <Card
        title={name}
        about={
          <>
            {evaluation.name}: {evaluation.model.id} on {itemsAsked(evaluation).toLocaleString('en')} items
            {sequential &&
              `, asked of ${evaluation.items.count.toLocaleString('en')} until its verdict against ${sequential.against.model} was sure: ${sequential.verdict.replace('-', ' ')}`}
            . <a href={keepProject(artifactHref(place.project, place.artifact))}>As an artifact</a>{' '}
            <a href={comparedHref(place)}>Compare with another</a>
          </>
        }
        wide
      >
        <Headline evaluation={evaluation} />
      </Card>
      <Card title="Slices" about="Parts of the items that are judged on their own. The line marks all items." wide={slices.length > 0}>
        {slices.length === 0 ? (
          <Empty>
            It has no slices. Items say them, and <code>slices</code> of the spec names those that count.
          </Empty>
        ) : (
          <Slices slices={slices} score={evaluation.score} />
        )}
      </Card>
      <Card title="Metrics">
        <DataTable
          name="metrics"
          label="Table of metrics"
          columns={METRIC_COLUMNS}
          rows={metricRows(metrics)}
          keyOf={(row) => row.metric}
        />
      </Card>
      <Card title="Instrument" about="Everything but the model that a score depends on. Scores of others are not compared with it.">
        <dl className="fact-fields">
          {fieldRows(instrument, {}).map((row) => (
            <div key={row.name}>
              <dt>{row.name}</dt>
              <dd className="long">{row.left}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </div>
  )
}

/** In its project, which the page of comparisons would not know otherwise. */
const comparedHref = ({ project, artifact }: ArtifactPlace): string =>
  `${compareHref('evaluations', '', artifact)}&${new URLSearchParams({ project }).toString()}`

const parseEvaluation = (value: unknown): Evaluation => EVALUATION.parse(value)

function Headline({ evaluation }: { readonly evaluation: Evaluation }): ReactNode {
  const { score, instrument, items, repeats, tokens_in, tokens_out, time_s, concurrency } = evaluation
  return (
    <dl className="numbers">
      <Fact label={instrument.metric.replaceAll('_', ' ')} value={showFigure(score.value)} about={`90 %: ${showBetween(score)}`} />
      <Fact label="Items" value={itemsAsked(evaluation).toLocaleString('en')} about={`digest ${items.digest.slice(0, 12)}`} />
      <Fact
        label="Noise"
        value={repeats.differing === undefined ? '–' : showPercent(repeats.differing)}
        about={repeats.differing === undefined ? 'asked once' : `of items differ in ${repeats.count} repeats`}
      />
      <Fact
        label="Time"
        value={time_s === undefined ? '–' : show(seconds(time_s), 's')}
        about={concurrency === undefined ? 'by another program' : `${concurrency} at once`}
      />
      <Fact label="Tokens" value={(tokens_in + tokens_out).toLocaleString('en')} about={`${tokens_out.toLocaleString('en')} generated`} />
    </dl>
  )
}

type Slice = Evaluation['slices'][number]
type SlicesProps = { readonly slices: readonly Slice[]; readonly score: EvaluationInterval }

function Slices({ slices, score }: SlicesProps): ReactNode {
  const columns = useMemo((): readonly Column<Slice>[] => {
    const domain = scaleOf([score, ...slices.map((each) => each.score)])
    return [
      { name: 'Slice', value: ({ slice }) => slice },
      { name: 'Value', className: 'wraps', value: ({ value }) => value },
      { name: 'Items', isNumber: true, value: ({ items }) => items, cell: ({ items }) => items.toLocaleString('en') },
      { name: 'Score', isNumber: true, value: (row) => row.score.value, cell: (row) => showFigure(row.score.value) },
      {
        name: '90 % interval',
        isSortable: false,
        value: (row) => showBetween(row.score),
        cell: (row) => (
          <span className="with-interval">
            {showBetween(row.score)} <IntervalBar {...row.score} domain={domain} marks={[score.value]} />
          </span>
        ),
      },
    ]
  }, [slices, score])
  return (
    <DataTable name="slices" label="Table of slices" columns={columns} rows={slices} keyOf={({ slice, value }) => `${slice} ${value}`} />
  )
}

type MetricRow = { readonly metric: string; readonly interval: EvaluationInterval }

const metricRows = (metrics: Evaluation['metrics']): readonly MetricRow[] =>
  Object.entries(metrics).map(([metric, interval]) => ({ metric, interval }))

const METRIC_COLUMNS: readonly Column<MetricRow>[] = [
  { name: 'Metric', value: ({ metric }) => metric },
  { name: 'Value', isNumber: true, value: ({ interval }) => interval.value, cell: ({ interval }) => showFigure(interval.value) },
  { name: '90 % interval', isSortable: false, value: ({ interval }) => showBetween(interval) },
]
