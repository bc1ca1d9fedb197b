// What each step of a pipeline kept and dropped, why, and examples of what it dropped.

import { type DataFigures, type Example, FIGURES_FILE, parseDataFigures } from '@ironlaw/contracts/data-figures'
import { bytes, counted, show, showPercent } from '@ironlaw/units'
import { type ReactNode, useState } from 'react'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { Fact } from '../ui/fact.tsx'
import { Segments } from '../ui/fields.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type ArtifactPlace, useJson } from './artifact-files.ts'
import { type DroppedReason, funnelRows, type Measure, reasonsOf, totalsOf } from './step-figures.ts'

type StepsViewProps = ArtifactPlace & { readonly folder: string }

export function StepsView({ folder, ...of }: StepsViewProps): ReactNode {
  const answer = useJson({ ...of, path: `${folder}${FIGURES_FILE}` }, parseDataFigures)
  if (!answer) return <Empty>Loading…</Empty>
  return answer.ok ? <Steps figures={answer.value} /> : <Refusal problem={answer} />
}

function Steps({ figures }: { readonly figures: DataFigures }): ReactNode {
  const { records, violations, documents, tokens, ...total } = totalsOf(figures)
  const withDrops = figures.steps.map((step, place) => ({ step, place })).filter(({ step }) => Object.keys(step.dropped).length > 0)
  return (
    <>
      <dl className="numbers headline">
        <Fact label="Records read" value={records.toLocaleString('en')} about={`${violations.toLocaleString('en')} against the contract`} />
        <Fact
          label="Documents kept"
          value={documents.toLocaleString('en')}
          about={records === 0 ? '' : `${showPercent(documents / records)} of the records`}
        />
        <Fact label="Text" value={show(bytes(total.bytes), 'B')} about="as UTF-8" />
        <Fact
          label="Tokens"
          value={tokens === 0 ? '–' : tokens.toLocaleString('en')}
          about={tokens === 0 ? 'not tokenized' : `${(total.bytes / tokens).toFixed(2)} bytes each`}
        />
      </dl>
      <div className="cards">
        <FunnelCard figures={figures} />
        {withDrops.map(({ step, place }) => (
          <DroppedCard key={place} title={`Dropped by step ${place + 1}, ${step.step}`} reasons={reasonsOf(step)} />
        ))}
      </div>
    </>
  )
}

const MEASURES = ['documents', 'bytes'] as const

const showAmount = (amount: number, measure: Measure): string =>
  measure === 'bytes' ? show(bytes(amount), 'B') : amount.toLocaleString('en')

function FunnelCard({ figures }: { readonly figures: DataFigures }): ReactNode {
  const [measure, setMeasure] = useState<Measure>('documents')
  const rows = funnelRows(figures, measure)
  return (
    <Card
      title="What each step kept"
      about="In the order of the steps. The filled part of a bar went on to the next step, the striped part was dropped."
      aside={<Segments label="By" value={measure} options={MEASURES} onChange={setMeasure} />}
      wide
    >
      {rows.length === 0 ? (
        <Empty>The spec has no steps: all documents of its sources are in the dataset.</Empty>
      ) : (
        <BarBox label="What each step kept" heads={['step', 'kept', 'dropped']}>
          <ol className="funnel">
            {rows.map(({ step, place, into, kept, keptShare, droppedShare }) => (
              <li key={place}>
                <span className="funnel-step">
                  {place + 1} {step}
                </span>
                <span className="funnel-bar">
                  <i className="work" style={{ width: `${100 * keptShare}%` }} />
                  <i className="dropped" style={{ width: `${100 * droppedShare}%` }} />
                </span>
                <span className="number">{showAmount(kept[measure], measure)}</span>
                <span className="number quiet">{droppedText(into[measure], kept[measure], measure)}</span>
              </li>
            ))}
          </ol>
        </BarBox>
      )}
    </Card>
  )
}

/** A step that rewrites text, such as redact, may make it longer. */
function droppedText(into: number, kept: number, measure: Measure): string {
  if (into === kept) return 'drops nothing'
  if (kept > into) return `adds ${showAmount(kept - into, measure)}`
  return `drops ${showAmount(into - kept, measure)}, ${showPercent((into - kept) / into)}`
}

/** A page with more is no longer read. */
const MOST_REASONS = 20

function DroppedCard({ title, reasons }: { readonly title: string; readonly reasons: readonly DroppedReason[] }): ReactNode {
  const left = reasons.length - MOST_REASONS
  return (
    <Card title={title} about="By reason, with examples of what was dropped." wide>
      {reasons.slice(0, MOST_REASONS).map((reason, at) => (
        <details key={reason.reason} className="dropped-reason" open={at === 0}>
          <summary>
            <strong>{reason.reason}</strong>
            <span className="quiet">
              {counted(reason.documents, 'document')}, {show(bytes(reason.bytes), 'B')}
            </span>
          </summary>
          {reason.examples.length === 0 && <p className="quiet">No example was kept.</p>}
          {reason.examples.map((example) => (
            <ExampleText key={`${example.file} ${example.record}`} example={example} />
          ))}
        </details>
      ))}
      {left > 0 && (
        <p className="quiet">
          {counted(left, 'reason')} more with fewer documents are in {FIGURES_FILE}.
        </p>
      )}
    </Card>
  )
}

const ExampleText = ({ example: { file, record, text, detail } }: { readonly example: Example }): ReactNode => (
  <figure className="example">
    <figcaption>
      <code>{file}</code>, record {record.toLocaleString('en')}
      {detail !== undefined && <span className="quiet"> · {detail}</span>}
    </figcaption>
    <blockquote tabIndex={0} aria-label={`Text of record ${record} of ${file}`}>
      {text}
    </blockquote>
  </figure>
)
