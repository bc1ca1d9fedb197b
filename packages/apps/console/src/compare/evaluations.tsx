// Two evaluations by one instrument on the same items: whether the second model may replace the first, and which items changed.

import { compareResults, type ComparedPart, type Comparison, type ComparisonVerdict, itemChanges } from '@ironlaw/policies/evaluation'
import { type ReactNode, useMemo } from 'react'
import { text } from '../address.ts'
import { type ArtifactPlace, useOnce } from '../datasets/artifact-files.ts'
import { artifactHref, keepProject } from '../places.ts'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { IntervalBar } from '../ui/interval-bar.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useAddress } from '../use-address.ts'
import { type EvaluationSide, type Incomparable, incomparable, readSide } from './evaluation-sides.ts'
import { ItemChanges } from './item-changes-view.tsx'

/** In points, as `--margin 0.02` of the command. */
const FIELDS = { margin: text('2'), across: text('') }

type ComparedEvaluationsProps = { readonly project: string; readonly left: string; readonly right: string }

export function ComparedEvaluations({ project, left, right }: ComparedEvaluationsProps): ReactNode {
  const [{ margin, across }, change] = useAddress('compare', FIELDS)
  const places = useMemo(() => [left, right].map((artifact): ArtifactPlace => ({ project, artifact })), [project, left, right])
  const first = useOnce(`evaluation ${left}`, () => readSide({ project, artifact: left }))
  const second = useOnce(`evaluation ${right}`, () => readSide({ project, artifact: right }))
  if (left === right) return <Empty>Choose two evaluations: both are the same.</Empty>
  const problem = [first, second].find((each) => each && !each.ok)
  if (problem && !problem.ok) return <Refusal problem={problem} />
  if (!first?.ok || !second?.ok) return <Empty>Reading both evaluations…</Empty>
  const fields = across.split(',').filter((field) => field !== '')
  const refusal = incomparable(first.value.evaluation, second.value.evaluation, fields)
  if (refusal) return <Refused refusal={refusal} onAcross={(names) => change({ across: [...fields, ...names].join(',') })} />
  return (
    <>
      {fields.length > 0 && (
        <p className="warning">
          Compared although {fields.join(', ')} {fields.length === 1 ? 'differs' : 'differ'}.{' '}
          <button type="button" className="link" onClick={() => change({ across: '' })}>
            Do not
          </button>
        </p>
      )}
      <Compared places={places} sides={[first.value, second.value]} margin={margin} onMargin={(next) => change({ margin: next.trim() })} />
    </>
  )
}

type RefusedProps = { readonly refusal: Incomparable; readonly onAcross: (fields: readonly string[]) => void }

function Refused({ refusal, onAcross }: RefusedProps): ReactNode {
  switch (refusal.because) {
    case 'stopped':
      return <Stopped refusal={refusal} />
    case 'items':
      return <OtherItems refusal={refusal} />
    case 'instrument':
      return <OtherInstrument refusal={refusal} onAcross={onAcross} />
  }
}

type StoppedProps = { readonly refusal: Extract<Incomparable, { readonly because: 'stopped' }> }

const Stopped = ({ refusal: { evaluation, ended } }: StoppedProps): ReactNode => (
  <div className="refused" role="alert">
    <strong>{evaluation.model.id} was not asked all items</strong>
    <p>
      It stopped after {ended.asked.toLocaleString('en')} of {evaluation.items.count.toLocaleString('en')}, as its verdict against{' '}
      {ended.against.model} was sure: {ended.verdict.replace('-', ' ')}, {points(ended.difference.value)} points (
      {points(ended.difference.low)} to {points(ended.difference.high)}). Another comparison needs all items: evaluate it again without{' '}
      <code>--against</code>.
    </p>
  </div>
)

type OtherItemsProps = { readonly refusal: Extract<Incomparable, { readonly because: 'items' }> }

const OtherItems = ({ refusal }: OtherItemsProps): ReactNode => (
  <div className="refused" role="alert">
    <strong>The evaluations are of different items</strong>
    <p>
      {refusal.before.count.toLocaleString('en')} with digest <code>{refusal.before.digest.slice(0, 12)}</code>, then{' '}
      {refusal.after.count.toLocaleString('en')} with <code>{refusal.after.digest.slice(0, 12)}</code>. Evaluate both models on one version
      of the items.
    </p>
  </div>
)

type OtherInstrumentProps = {
  readonly refusal: Extract<Incomparable, { readonly because: 'instrument' }>
  readonly onAcross: RefusedProps['onAcross']
}

const OtherInstrument = ({ refusal, onAcross }: OtherInstrumentProps): ReactNode => (
  <div className="refused" role="alert">
    <strong>The evaluations are by different instruments</strong>
    <ul>
      {refusal.fields.map(({ field, before, after }) => (
        <li key={field}>
          <code>{field}</code>: {before}, then {after}
        </li>
      ))}
    </ul>
    <p>A difference between instruments would be taken for one between models. Evaluate both by the same engine and settings.</p>
    <p>
      <button type="button" className="button" onClick={() => onAcross(refusal.fields.map(({ field }) => field))}>
        Compare all the same
      </button>
    </p>
  </div>
)

type ComparedProps = {
  readonly places: readonly ArtifactPlace[]
  readonly sides: readonly [EvaluationSide, EvaluationSide]
  readonly margin: string
  readonly onMargin: (margin: string) => void
}

/** Risks of the command's defaults. */
const RISK = { falseBlock: 0.05, miss: 0.05 }

function Compared({ places, sides: [before, after], margin, onMargin }: ComparedProps): ReactNode {
  const share = Number(margin) / 100
  const isMargin = margin !== '' && share > 0 && share < 1
  const comparison = useMemo(() => {
    if (!isMargin) return undefined
    const slices = [...new Set(after.evaluation.slices.map(({ slice }) => slice))]
    return compareResults(before.results, after.results, { margin: share, risk: RISK, looks: 1, slices })
  }, [before, after, share, isMargin])
  const changes = useMemo(() => itemChanges(before.results, after.results), [before, after])
  return (
    <div className="cards">
      <Card
        title="Verdict"
        about={
          <>
            <SideLink place={places[1]} model={after.evaluation.model.id} /> against{' '}
            <SideLink place={places[0]} model={before.evaluation.model.id} />, item by item. An equal model is refused with 5 %, one worse
            by the margin passed with 5 %.
          </>
        }
        aside={comparison && <VerdictChip verdict={comparison.verdict} />}
        wide
      >
        <div className="page-head">
          <TextField
            label="Margin, points"
            value={margin}
            hint="The new model may be worse by less than this"
            problem={isMargin ? '' : 'Points of the score, such as 2'}
            onChange={onMargin}
          />
        </div>
        {comparison && <Parts comparison={comparison} margin={share} />}
      </Card>
      <ItemChanges changes={changes} places={places} hasTexts={before.hasTexts || after.hasTexts} />
    </div>
  )
}

const SideLink = ({ place, model }: { readonly place: ArtifactPlace | undefined; readonly model: string }): ReactNode =>
  place && <a href={keepProject(artifactHref(place.project, place.artifact))}>{model}</a>

const VERDICTS: Readonly<Record<ComparisonVerdict, readonly [name: string, chip: 'good' | 'bad' | 'waived']>> = {
  better: ['better', 'good'],
  'as-good': ['as good', 'good'],
  worse: ['worse', 'bad'],
  undecided: ['undecided', 'waived'],
}

const VerdictChip = ({ verdict }: { readonly verdict: ComparisonVerdict }): ReactNode => (
  <span className={`chip ${VERDICTS[verdict][1]}`}>{VERDICTS[verdict][0]}</span>
)

const points = (difference: number): string => `${difference > 0 ? '+' : ''}${(100 * difference).toFixed(2)}`
const partName = ({ slice, value }: ComparedPart): string => (slice === undefined ? 'all items' : `${slice}: ${value ?? ''}`)

const BARS = { better: 'good', 'as-good': 'good', worse: 'bad', undecided: 'waiting' } as const

function Parts({ comparison: { parts }, margin }: { readonly comparison: Comparison; readonly margin: number }): ReactNode {
  const columns = useMemo((): readonly Column<ComparedPart>[] => {
    const reach = Math.max(margin, ...parts.flatMap(({ bounds }) => [Math.abs(bounds.low), Math.abs(bounds.high)]))
    return [
      { name: 'Part', className: 'wraps', value: partName },
      { name: 'Items', isNumber: true, value: ({ items }) => items, cell: ({ items }) => items.toLocaleString('en') },
      { name: 'Differ', isNumber: true, value: ({ differing }) => differing, cell: ({ differing }) => `${(100 * differing).toFixed(1)} %` },
      { name: 'Points', isNumber: true, value: ({ difference }) => difference, cell: ({ difference }) => points(difference) },
      {
        name: 'Interval',
        isSortable: false,
        value: ({ bounds }) => `${points(bounds.low)} to ${points(bounds.high)}`,
        cell: ({ difference, bounds, verdict }) => (
          <span className="with-interval">
            {points(bounds.low)} to {points(bounds.high)}{' '}
            <IntervalBar value={difference} {...bounds} domain={[-reach, reach]} marks={[-margin, 0]} kind={BARS[verdict]} />
          </span>
        ),
      },
      {
        name: 'Visible drop',
        isNumber: true,
        value: ({ smallestDrop }) => smallestDrop,
        cell: ({ smallestDrop }) => (100 * smallestDrop).toFixed(2),
      },
      { name: 'Verdict', value: ({ verdict }) => VERDICTS[verdict][0], cell: ({ verdict }) => <VerdictChip verdict={verdict} /> },
    ]
  }, [parts, margin])
  return <DataTable name="parts" label="Table of slices" columns={columns} rows={parts} keyOf={partName} />
}
