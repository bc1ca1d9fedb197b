// Artifacts: what there is, and the page of a single one.

import type { ArtifactView } from '@ironlaw/contracts/artifact-operations'
import { bytes, show } from '@ironlaw/units'
import type { ReactNode } from 'react'
import { text } from '../address.ts'
import { artifactHref, followRow, keepProject, runHref } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { useResource } from '../runs/use-live.ts'
import { ProjectFilter } from '../shell/project-filter.tsx'
import { useProject, useProjects } from '../shell/use-projects.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Connected, LeaveButton } from '../ui/connected.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { useAddress } from '../use-address.ts'
import { ArtifactPage } from './artifact-page.tsx'

const FIELDS = { artifact: text(''), of: text('') }

export function ArtifactsPage(): ReactNode {
  const [{ artifact, of }] = useAddress('artifacts', FIELDS)
  return (
    <Connected title="Artifacts">
      {(forget) =>
        artifact === '' ? <ArtifactList onForget={forget} /> : <ArtifactPage key={artifact} artifact={artifact} project={of || 'default'} />
      }
    </Connected>
  )
}

/** Artifacts belong to a project: without a choice, the first. */
function ArtifactList({ onForget }: { readonly onForget: () => void }): ReactNode {
  const chosen = useProject()
  const projects = useProjects()
  const project = chosen || projects?.[0]
  return (
    <>
      <header className="page-head">
        <h1>Artifacts</h1>
        <ProjectFilter projects={projects} />
        <LeaveButton onLeave={onForget} />
      </header>
      {project === undefined ? <Empty>Loading…</Empty> : <ArtifactsOf key={project} project={project} />}
    </>
  )
}

function ArtifactsOf({ project }: { readonly project: string }): ReactNode {
  const answer = useResource('listArtifacts', { project, query: { limit: 200 } }, 0)
  if (!answer) return <Empty>Loading…</Empty>
  if (!answer.ok) return <Refusal problem={answer} />
  const { items } = answer.value
  if (items.length === 0)
    return (
      <Empty>
        No artifacts in {project} yet. Add a dataset with <code>ironlaw artifact add corpus/ --name corpus</code>.
      </Empty>
    )
  return (
    <Card title={`${items.length} ${items.length === 1 ? 'artifact' : 'artifacts'} of ${project}`} wide>
      <DataTable
        name="artifacts"
        label="Table of artifacts"
        columns={COLUMNS}
        rows={items}
        keyOf={({ id }) => id}
        rowProps={({ id }) => ({ className: 'pickable', onClick: followRow(keepProject(artifactHref(project, id))) })}
      />
    </Card>
  )
}

const COLUMNS: readonly Column<ArtifactView>[] = [
  {
    name: 'Artifact',
    value: ({ names, id }) => names[0] ?? id,
    cell: ({ id, project, names }) => (
      <>
        <a href={keepProject(artifactHref(project, id))}>{names[0] ?? <code>{id.slice(0, 16)}</code>}</a>
        {names.length > 0 && <code className="quiet"> {id.slice(0, 16)}</code>}
      </>
    ),
  },
  { name: 'Type', value: ({ type }) => type },
  { name: 'Size', isNumber: true, value: (each) => each.bytes, cell: (each) => show(bytes(each.bytes), 'B') },
  { name: 'Files', isNumber: true, value: ({ files }) => files },
  {
    name: 'Made by',
    value: ({ made_by }) => made_by,
    cell: ({ made_by }) => (made_by === undefined ? '–' : <a href={keepProject(runHref(made_by))}>{made_by}</a>),
  },
  { name: 'State', value: ({ removed_at }) => (removed_at === undefined ? 'stored' : 'content deleted') },
  { name: 'Added', isNumber: true, value: ({ created_at }) => created_at, cell: ({ created_at }) => showAgo(created_at) },
]
