// One document of a token dataset: where it lies, where it came from, what it says, and the steps of every run that saw it.

import { type DataSources, parseDataSources, SOURCES_FILE } from '@ironlaw/contracts/data-figures'
import { parseTokenDataset, shardFiles, TOKEN_DATASET_FILE, type TokenDataset, tokenDatasetDigest } from '@ironlaw/contracts/token-dataset'
import {
  documentRecord,
  type DocumentPlace,
  indexBytes,
  layoutOfParts,
  placeOfDocument,
  recordBytes,
  samplesOfDocument,
} from '@ironlaw/data'
import { counted } from '@ironlaw/units'
import type { ReactNode } from 'react'
import { keepProject, runHref } from '../places.ts'
import type { ApiResult } from '../runs/api.ts'
import { StateChip } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Fact } from '../ui/fact.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TextField } from '../ui/text-field.tsx'
import { type ArtifactPlace, readBytes, readJson, useJson, useOnce } from './artifact-files.ts'
import { DocumentText, type TokenReader, tokenReader } from './document-text.tsx'
import { originText } from './distributions.ts'
import { type Sighting, type SightingQuestion, sightingsOf, type Unknown } from './runs-of-data.ts'

type DocumentViewProps = ArtifactPlace & {
  readonly folder: string
  /** As written in the address. */
  readonly document: string
  readonly onDocument: (document: string) => void
}

export function DocumentView({ folder, document, onDocument, ...of }: DocumentViewProps): ReactNode {
  const dataset = useJson({ ...of, path: `${folder}${TOKEN_DATASET_FILE}` }, parseTokenDataset)
  const known = dataset?.ok ? dataset.value : undefined
  const place = known && /^\d{1,15}$/.test(document) ? placeOfDocument(known.shards, Number(document)) : undefined
  // Once for all documents: a tokenizer is larger than what it reads.
  const reader = useOnce(
    `${of.artifact} ${folder} ${place === undefined ? '' : 'tokenizer'}`,
    known && place ? () => tokenReader({ ...of, folder }, known) : undefined,
  )
  if (!dataset) return <Empty>Loading…</Empty>
  if (!dataset.ok) return <Refusal problem={dataset} />
  const { documents } = dataset.value
  const last = (documents - 1).toLocaleString('en')
  return (
    <>
      <div className="page-head">
        <TextField
          label="Document"
          value={document}
          placeholder="0"
          hint={`0 to ${last}, as the dataset counts`}
          problem={document === '' || place ? '' : `Not a number from 0 to ${last}`}
          onChange={onDocument}
        />
        <button type="button" className="button" onClick={() => onDocument(String(Math.floor(Math.random() * documents)))}>
          Pick any
        </button>
      </div>
      {place ? (
        <DocumentCards key={document} place={{ ...of, folder }} dataset={dataset.value} at={place} reader={reader} />
      ) : (
        <Empty>Type the number of a document, and this page says which steps of which runs were trained on it.</Empty>
      )}
    </>
  )
}

type Folder = ArtifactPlace & { readonly folder: string }
type Found = {
  readonly start: number
  readonly tokens: number
  readonly samples: SightingQuestion['samples']
  readonly from?: DocumentSource
}
type DocumentSource = {
  readonly source: string
  readonly origin: string
  readonly file: string
  readonly record: number
  readonly start: number
}

type DocumentCardsProps = {
  readonly place: Folder
  readonly dataset: TokenDataset
  readonly at: DocumentPlace
  readonly reader: ApiResult<TokenReader> | undefined
}

function DocumentCards({ place, dataset, at, reader }: DocumentCardsProps): ReactNode {
  const key = `${place.artifact} ${place.folder} ${at.shard} ${at.document}`
  const found = useOnce(key, () => findDocument(place, dataset, at))
  if (!found) return <Empty>Loading…</Empty>
  if (!found.ok) return <Refusal problem={found} />
  const { start, tokens, samples, from } = found.value
  const count = samples.end - samples.first
  return (
    <>
      <dl className="numbers headline">
        <Fact
          label="Tokens"
          value={tokens.toLocaleString('en')}
          about={`document ${at.document.toLocaleString('en')} of shard ${at.shard}`}
        />
        <Fact
          label={count === 1 ? 'Sample' : 'Samples'}
          value={count === 0 ? 'none' : rangeText(samples)}
          about={
            count === 0
              ? 'behind the last whole sample'
              : `of ${dataset.samples.toLocaleString('en')}, ${dataset.sequence.toLocaleString('en')} tokens each`
          }
        />
        {from && <Fact label="Source" value={from.source} about={from.origin} />}
        {from && (
          <Fact
            label="Record"
            value={(from.record + 1).toLocaleString('en')}
            about={
              <span className="long">
                of <code>{from.file}</code>
                {from.start > 0 && `, counted from byte ${from.start.toLocaleString('en')} on`}
              </span>
            }
          />
        )}
      </dl>
      <DocumentText place={place} dataset={dataset} span={{ shard: at.shard, start, tokens }} reader={reader} />
      <SightingsCard question={{ ...place, digest: tokenDatasetDigest(dataset), samples }} name={key} />
    </>
  )
}

const rangeText = ({ first, end }: Found['samples']): string =>
  end - first === 1 ? first.toLocaleString('en') : `${first.toLocaleString('en')}–${(end - 1).toLocaleString('en')}`

async function findDocument({ folder, ...of }: Folder, dataset: TokenDataset, at: DocumentPlace): Promise<ApiResult<Found>> {
  const files = shardFiles(at.shard)
  const content = await readBytes({ ...of, path: `${folder}${files.documents}` }, indexBytes(at.document, at.document + 2))
  if (!content.ok) return content
  const layout = layoutOfParts(dataset, [{ shard: at.shard, first: at.document, content: content.value }])
  const index = layout.shards[at.shard]
  const start = index?.offsetAt(at.document) ?? 0
  const tokens = (index?.offsetAt(at.document + 1) ?? 0) - start
  const samples = samplesOfDocument(at, layout)
  if (dataset.shards[at.shard]?.recordsDigest === undefined) return { ok: true, value: { start, tokens, samples } }
  const [record, sources] = await Promise.all([
    readBytes({ ...of, path: `${folder}${files.records}` }, recordBytes(at.document)),
    readJson({ ...of, path: `${folder}${SOURCES_FILE}` }, parseDataSources),
  ])
  const from = record.ok && sources.ok ? sourceOf(record.value, sources.value) : undefined
  return { ok: true, value: { start, tokens, samples, ...(from && { from }) } }
}

function sourceOf(content: Uint8Array, { sources, units }: DataSources): DocumentSource | undefined {
  const { unit, record } = documentRecord(content)
  const from = units[unit]
  const source = from && sources[from.source]
  return from && source && { source: source.name, origin: originText(source), file: from.file, record, start: from.start }
}

/** Steps that a line can hold; `ironlaw data seen --json` has all. */
const MOST_STEPS = 12

const COLUMNS: readonly Column<Sighting>[] = [
  { name: 'Run', value: ({ run }) => run.name, cell: ({ run }) => <a href={keepProject(runHref(run.id))}>{run.name}</a> },
  { name: 'State', value: ({ run }) => run.state, cell: ({ run }) => <StateChip state={run.state} /> },
  { name: 'As source', value: ({ source }) => source },
  { name: 'Reached step', isNumber: true, value: ({ run }) => run.step ?? 0, cell: ({ run }) => (run.step ?? 0).toLocaleString('en') },
  {
    name: 'First seen at',
    isNumber: true,
    value: ({ steps }) => steps[0],
    cell: ({ steps }) => steps[0]?.toLocaleString('en') ?? 'not yet',
  },
  {
    name: 'Seen at steps',
    isSortable: false,
    className: 'wraps',
    value: ({ steps }) => steps.slice(0, MOST_STEPS).join(', '),
    cell: ({ steps }) => stepsText(steps),
  },
]

function stepsText(steps: readonly number[]): string {
  const shown = steps.slice(0, MOST_STEPS).map((step) => step.toLocaleString('en'))
  const left = steps.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left.toLocaleString('en')} more` : shown.join(', ')
}

function SightingsCard({ question, name }: { readonly question: SightingQuestion; readonly name: string }): ReactNode {
  const answer = useOnce(name, () => sightingsOf(question))
  const { seen, unknown, more } = answer?.ok ? answer.value : { seen: [], unknown: [], more: 0 }
  return (
    <div className="cards">
      <Card
        title="Steps that saw it"
        about="Computed from the data order of each run that used this dataset, up to the step it has reached."
        wide
        busy={!answer}
      >
        {!answer && <Empty>Loading…</Empty>}
        {answer && !answer.ok && <Refusal problem={answer} />}
        {answer?.ok && seen.length === 0 && (
          <Empty>
            No run was trained on this dataset by a data order yet. A spec names both: <code>uses: [order, corpus]</code>.
          </Empty>
        )}
        {seen.length > 0 && (
          <DataTable
            name="seen"
            label="Table of runs that saw it"
            columns={COLUMNS}
            rows={seen}
            keyOf={({ run, source }) => `${run.id} ${source}`}
          />
        )}
        {unknown.length > 0 && <UnknownRuns unknown={unknown} />}
        {more > 0 && <p className="quiet">{counted(more, 'older run')} not looked at: ironlaw data seen RUN answers for any.</p>}
      </Card>
    </div>
  )
}

const UnknownRuns = ({ unknown }: { readonly unknown: readonly Unknown[] }): ReactNode => (
  <ul className="events">
    {unknown.map(({ run, why }) => (
      <li key={run.id} className="quiet">
        <a href={keepProject(runHref(run.id))}>{run.name}</a> used it, but its steps are not known: {why}.
      </li>
    ))}
  </ul>
)
