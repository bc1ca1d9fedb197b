// One artifact: what is known of it, where it came from and what came of it, its files, what its names pointed at.

import type { ArtifactManifest } from '@ironlaw/contracts/artifact'
import type { ArtifactNameView, ArtifactView } from '@ironlaw/contracts/artifact-operations'
import { bytes, counted, show } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { oneOf } from '../address.ts'
import { artifactHref, keepProject } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { type ApiResult, call } from '../runs/api.ts'
import { useResource } from '../runs/use-live.ts'
import { DatasetView } from '../datasets/dataset-view.tsx'
import { useOnce } from '../datasets/artifact-files.ts'
import { viewFolders, VIEWS, viewsOf } from '../datasets/views.ts'
import { Card, Empty } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Fact } from '../ui/fact.tsx'
import { Segments } from '../ui/fields.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { useAddress } from '../use-address.ts'
import { Datasheet } from './card-documents.tsx'
import { LineageCard } from './lineage-card.tsx'

type ArtifactPageProps = { readonly artifact: string; readonly project: string }

export function ArtifactPage({ artifact, project }: ArtifactPageProps): ReactNode {
  const answer = useResource('getArtifact', { project, artifact }, 0)
  return (
    <>
      <a className="link" href={keepProject('#/artifacts')}>
        ← All artifacts
      </a>
      {!answer && <Empty>Loading…</Empty>}
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && <Details found={answer.value} />}
    </>
  )
}

const FIELDS = { view: oneOf(VIEWS) }

function Details({ found }: { readonly found: ArtifactView }): ReactNode {
  const { id, project, names, removed_at } = found
  const [{ view }, change] = useAddress('artifacts', FIELDS)
  const manifest = useOnce(
    `${project} ${id}`,
    removed_at === undefined ? () => call('getArtifactManifest', { project, artifact: id }) : undefined,
  )
  const folders = useMemo(() => viewFolders(manifest?.ok ? manifest.value.files : []), [manifest])
  const views = viewsOf(folders, names.length > 0)
  const shown = views.includes(view) ? view : 'overview'
  const isWaiting = view !== 'overview' && removed_at === undefined && !manifest
  return (
    <>
      <header className="page-head">
        <h1 className="long">{names[0] ?? id.slice(0, 16)}</h1>
        {names.length > 0 && <code className="quiet">{id.slice(0, 16)}</code>}
        <CopyButton text={() => id}>Copy id</CopyButton>
      </header>
      {views.length > 0 && (
        <div className="views">
          <Segments label="View" value={shown} options={views} onChange={(next) => change({ view: next })} />
        </div>
      )}
      {isWaiting && <Empty>Loading…</Empty>}
      {!isWaiting && shown === 'overview' && <Overview found={found} manifest={manifest} />}
      {shown !== 'overview' && <DatasetView key={shown} view={shown} folders={folders[shown] ?? []} found={found} />}
    </>
  )
}

type OverviewProps = { readonly found: ArtifactView; readonly manifest: ApiResult<ArtifactManifest> | undefined }

function Overview({ found, manifest }: OverviewProps): ReactNode {
  const { id, project, type, names, leaves, files, created_at, created_by, removed_at, facts } = found
  return (
    <>
      <dl className="numbers headline">
        <Fact label="Type" value={type} about={`of ${project}`} />
        <Fact
          label="Size"
          value={show(bytes(found.bytes), 'B')}
          about={`${counted(files, 'file')}, ${leaves.toLocaleString('en')} lines or blocks`}
        />
        <Fact label="Added" value={showAgo(created_at)} about={`by ${created_by}`} />
        <Fact
          label="Content"
          value={removed_at === undefined ? 'stored' : 'deleted'}
          about={removed_at === undefined ? 'ironlaw artifact restore writes it' : showAgo(removed_at)}
        />
      </dl>
      <div className="cards">
        <LineageCard id={id} project={project} />
        {names.map((name) => (
          <HistoryCard key={name} name={name} project={project} shown={id} />
        ))}
        {Object.keys(facts).length > 0 && <FactsCard facts={facts} />}
        {type === 'dataset' && <Datasheet project={project} artifact={id} />}
        {removed_at === undefined && <FilesCard manifest={manifest} />}
      </div>
    </>
  )
}

type HistoryCardProps = { readonly name: string; readonly project: string; readonly shown: string }

function HistoryCard({ name, project, shown }: HistoryCardProps): ReactNode {
  const answer = useResource('listArtifactNames', { project, name }, 0)
  const columns = useMemo(
    (): readonly Column<ArtifactNameView>[] => [
      { name: 'Version', isNumber: true, value: ({ version }) => version, cell: ({ version }) => `${name}@${version}` },
      {
        name: 'Artifact',
        value: ({ artifact }) => artifact,
        cell: ({ artifact }) =>
          artifact === shown ? (
            <code>{artifact.slice(0, 16)}</code>
          ) : (
            <a href={keepProject(artifactHref(project, artifact))}>{artifact.slice(0, 16)}</a>
          ),
      },
      { name: 'Set by', value: ({ by }) => by },
      { name: 'When', isNumber: true, value: ({ at }) => at, cell: ({ at }) => showAgo(at) },
    ],
    [name, project, shown],
  )
  return (
    <Card title={`What ${name} pointed at`} wide>
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && (
        <DataTable
          name={`history-${name}`}
          label={`History of ${name}`}
          columns={columns}
          rows={answer.value.items}
          keyOf={({ version }) => String(version)}
        />
      )}
    </Card>
  )
}

const FactsCard = ({ facts }: Pick<ArtifactView, 'facts'>): ReactNode => (
  <Card title="Facts" about="Stated when it was added; part of its identity.">
    <dl className="sums">
      {Object.entries(facts).map(([field, value]) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  </Card>
)

const FILE_COLUMNS: readonly Column<ArtifactManifest['files'][number]>[] = [
  { name: 'File', value: ({ path }) => path, cell: ({ path }) => <code>{path}</code> },
  { name: 'Size', isNumber: true, value: (file) => file.bytes, cell: (file) => show(bytes(file.bytes), 'B') },
  { name: 'Lines or blocks', isNumber: true, value: ({ leaves }) => leaves, cell: ({ leaves }) => leaves.toLocaleString('en') },
]

/** More make a browser slow; the command line has them all. */
const MOST_FILES = 500

function FilesCard({ manifest: answer }: Pick<OverviewProps, 'manifest'>): ReactNode {
  const files = useMemo(() => (answer?.ok ? answer.value.files.slice(0, MOST_FILES) : []), [answer])
  const left = answer?.ok ? answer.value.files.length - files.length : 0
  return (
    <Card title="Files" wide>
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && <DataTable name="files" label="Files" columns={FILE_COLUMNS} rows={files} keyOf={({ path }) => path} />}
      {left > 0 && <p className="quiet">{left.toLocaleString('en')} more</p>}
    </Card>
  )
}
