// What a dataset is made of: lengths of its documents, tokens by source, real and synthetic text.

import { type DataFigures, FIGURES_FILE, parseDataFigures, parseDataSources, SOURCES_FILE } from '@ironlaw/contracts/data-figures'
import { bytes, show, showPercent } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { type Frame, Plot } from '../charts/plot.tsx'
import type { Series } from '../charts/series.ts'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type ArtifactPlace, useJson } from './artifact-files.ts'
import { comparedBy, lengthSeries, type Share, sharesBy, type SourceRow, sourceRows } from './distributions.ts'

type DistributionsViewProps = ArtifactPlace & { readonly folder: string }

export function DistributionsView({ folder, ...of }: DistributionsViewProps): ReactNode {
  const figures = useJson({ ...of, path: `${folder}${FIGURES_FILE}` }, parseDataFigures)
  const sources = useJson({ ...of, path: `${folder}${SOURCES_FILE}` }, parseDataSources)
  const rows = useMemo(() => (figures?.ok ? sourceRows(figures.value, sources?.ok ? sources.value : undefined) : []), [figures, sources])
  if (!figures || !sources) return <Empty>Loading…</Empty>
  if (!figures.ok) return <Refusal problem={figures} />
  const by = comparedBy(rows)
  return (
    <div className="cards">
      <LengthsCard figures={figures.value} />
      <SharesCard title={`${by === 'tokens' ? 'Tokens' : 'Bytes'} by source`} by={by} shares={sharesBy(rows, ({ source }) => source)} />
      <SharesCard
        title="Origin"
        about="Who wrote it: people, or a model. Generation 1 was made from real text, generation 2 from that."
        by={by}
        shares={sharesBy(rows, ({ origin }) => origin)}
      />
      <SourcesCard rows={rows} />
    </div>
  )
}

const showBytes = (value: number): string => show(bytes(value), 'B')

function LengthsCard({ figures }: { readonly figures: DataFigures }): ReactNode {
  const series = useMemo(() => lengthSeries(figures), [figures])
  const [first] = series
  if (!first)
    return (
      <Card title="Lengths of documents" wide>
        <Empty>No document came out of the steps.</Empty>
      </Card>
    )
  const filled = series.flatMap(({ points }) => points.filter(([, share]) => share > 0))
  const [low, high] = [Math.min(...filled.map(([x]) => x)) / 2, Math.max(...filled.map(([x]) => x))]
  const most = Math.max(...filled.map(([, share]) => share))
  return (
    <Card title="Lengths of documents" about="Share of the documents of each source by their bytes of text, in powers of two." wide>
      <Plot
        label="Lengths of documents"
        height={280}
        x={{ name: 'bytes of text', kind: 'log', domain: [low, high], format: showBytes }}
        y={{ name: 'documents', kind: 'linear', domain: [0, 1.08 * most], format: (share) => showPercent(share, 0) }}
        series={series}
      >
        {(frame) => series.filter(({ name }) => frame.isShown(name)).map((each) => <Outline key={each.name} series={each} frame={frame} />)}
      </Plot>
    </Card>
  )
}

/** The upper edge of a histogram. */
const Outline = ({ series: { name, ink, points }, frame: { x, y } }: { readonly series: Series; readonly frame: Frame }): ReactNode => {
  const [low, high] = x.domain
  const edges = points
    .filter(([end]) => end > low && end <= high)
    .map(([end, share]) => `H${x(end / 2).toFixed(1)}V${y(share).toFixed(1)}H${x(end).toFixed(1)}`)
  return (
    <path className={`curve ink-${ink}`} d={`M${x(low).toFixed(1)} ${y(0).toFixed(1)}${edges.join('')}V${y(0).toFixed(1)}`}>
      <title>{name}</title>
    </path>
  )
}

/** More bars are no picture; the table has all. */
const MOST_BARS = 12

type SharesCardProps = {
  readonly title: string
  readonly about?: string
  readonly by: 'tokens' | 'bytes'
  readonly shares: readonly Share[]
}

const SharesCard = ({ title, about, by, shares }: SharesCardProps): ReactNode => (
  <Card title={title} {...(about !== undefined && { about })}>
    <BarBox label={title} heads={['name', by, 'share']}>
      <ul className="waterfall">
        {shares.slice(0, MOST_BARS).map(({ name, amount, share }) => (
          <li key={name}>
            <span className="long">{name}</span>
            <span className="waterfall-bars">
              <i className="work" style={{ width: `${100 * share}%` }} />
            </span>
            <span className="number">{by === 'bytes' ? showBytes(amount) : amount.toLocaleString('en')}</span>
            <span className="quiet">{showPercent(share)}</span>
          </li>
        ))}
      </ul>
    </BarBox>
    {shares.length > MOST_BARS && <p className="quiet">{shares.length - MOST_BARS} more are in the table of sources.</p>}
  </Card>
)

const count = (value: number): string => value.toLocaleString('en')

const COLUMNS: readonly Column<SourceRow>[] = [
  { name: 'Source', value: ({ source }) => source },
  { name: 'Origin', value: ({ origin }) => origin },
  { name: 'Records', isNumber: true, value: ({ records }) => records, cell: ({ records }) => count(records) },
  { name: 'Set aside', isNumber: true, value: ({ violations }) => violations, cell: ({ violations }) => count(violations) },
  { name: 'Documents', isNumber: true, value: ({ documents }) => documents, cell: ({ documents }) => count(documents) },
  { name: 'Text', isNumber: true, value: (row) => row.bytes, cell: (row) => showBytes(row.bytes) },
  { name: 'Tokens', isNumber: true, value: ({ tokens }) => tokens, cell: ({ tokens }) => (tokens === 0 ? '–' : count(tokens)) },
  {
    name: 'Bytes a token',
    isNumber: true,
    value: (row) => (row.tokens === 0 ? undefined : row.bytes / row.tokens),
    cell: (row) => (row.tokens === 0 ? '–' : (row.bytes / row.tokens).toFixed(2)),
  },
]

function SourcesCard({ rows }: { readonly rows: readonly SourceRow[] }): ReactNode {
  const violated = rows.flatMap(({ source, firstViolation }) => (firstViolation ? [{ source, ...firstViolation }] : []))
  return (
    <Card title="Sources" wide>
      <DataTable name="sources" label="Table of sources" columns={COLUMNS} rows={rows} keyOf={({ source }) => source} />
      {violated.length > 0 && (
        <ul className="events">
          {violated.map(({ source, file, record, problem }) => (
            <li key={source}>
              First record of {source} that was set aside: <code>{file}</code>, record {count(record)}: {problem}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
