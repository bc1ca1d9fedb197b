// The registry: versions of models with what is known and decided, page by page, and the page of a single one.

import { type ModelSummary, VERSION_STATES } from '@ironlaw/contracts/model-registry'
import { counted } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { oneOf, type State, text } from '../address.ts'
import { artifactHref, followRow, keepProject, registryHref, runHref, versionHref } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { useResource } from '../runs/use-live.ts'
import { ProjectFilter } from '../shell/project-filter.tsx'
import { useProject, useProjects } from '../shell/use-projects.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Connected, LeaveButton } from '../ui/connected.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Select } from '../ui/fields.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useAddress } from '../use-address.ts'
import { VersionPage } from './version-page.tsx'
import { datasetsOf, shortId, StateChip } from './version-words.tsx'

const FIELDS = { version: text(''), of: text(''), name: text(''), state: oneOf(['any', ...VERSION_STATES]), cursor: text('') }

type RegistryState = State<typeof FIELDS>

export function RegistryPage(): ReactNode {
  const [state, change] = useAddress('registry', FIELDS)
  return (
    <Connected title="Registry">
      {(forget) =>
        state.version === '' ? (
          <VersionList state={state} change={change} onForget={forget} />
        ) : (
          <VersionPage key={state.version} version={state.version} project={state.of || 'default'} />
        )
      }
    </Connected>
  )
}

type VersionListProps = {
  readonly state: RegistryState
  readonly change: (part: Partial<RegistryState>) => void
  readonly onForget: () => void
}

/** Versions belong to a project: without a choice, the first. */
function VersionList({ state, change, onForget }: VersionListProps): ReactNode {
  const chosen = useProject()
  const projects = useProjects()
  const project = chosen || projects?.[0]
  return (
    <>
      <header className="page-head">
        <h1>Registry</h1>
        <ProjectFilter projects={projects} />
        <TextField
          label="Name"
          value={state.name}
          placeholder="any"
          problem={isName(state.name) ? '' : 'Lower-case letters, digits, dots, hyphens, underscores'}
          onChange={(name) => change({ name: name.trim(), cursor: '' })}
        />
        <Select
          label="State"
          value={state.state}
          options={['any', ...VERSION_STATES].map((id) => ({ id, name: id }))}
          onChange={(next) => change({ state: VERSION_STATES.find((each) => each === next) ?? 'any', cursor: '' })}
        />
        <LeaveButton onLeave={onForget} />
      </header>
      {project === undefined ? (
        <Empty>Loading…</Empty>
      ) : (
        isName(state.name) && <VersionsOf key={`${project} ${state.name} ${state.state} ${state.cursor}`} project={project} state={state} />
      )}
    </>
  )
}

const isName = (name: string): boolean => /^[a-z0-9._-]{0,63}$/.test(name)

/** What a page draws at once. */
const PAGE = 50

function VersionsOf({ project, state: { name, state, cursor } }: { readonly project: string; readonly state: RegistryState }): ReactNode {
  const answer = useResource(
    'listModels',
    {
      project,
      query: { limit: PAGE, ...(name !== '' && { name }), ...(state !== 'any' && { state }), ...(cursor !== '' && { cursor }) },
    },
    0,
  )
  const items = answer?.ok ? answer.value.items : NONE
  const columns = useMemo(() => columnsOf(project), [project])
  if (!answer) return <Empty>Loading…</Empty>
  if (!answer.ok) return <Refusal problem={answer} />
  const filter = { ...(name !== '' && { name }), ...(state !== 'any' && { state }) }
  if (items.length === 0) return <NoVersions project={project} filter={filter} />
  const { next } = answer.value
  return (
    <Card
      title={`${counted(items.length, 'version')} of ${project}${next === null && cursor === '' ? '' : ', newest first'}`}
      aside={
        <nav className="row" aria-label="Pages of versions">
          {cursor !== '' && <a href={keepProject(registryHref(filter))}>« Newest</a>}
          {next !== null && <a href={keepProject(registryHref({ ...filter, cursor: next }))}>Older ›</a>}
        </nav>
      }
      wide
    >
      <DataTable
        name="versions"
        label="Table of versions"
        columns={columns}
        rows={items}
        keyOf={({ id }) => id}
        rowProps={({ id }) => ({ className: 'pickable', onClick: followRow(keepProject(versionHref(project, id))) })}
      />
    </Card>
  )
}

const NONE: readonly ModelSummary[] = []

const NoVersions = ({ project, filter }: { readonly project: string; readonly filter: object }): ReactNode =>
  Object.keys(filter).length > 0 ? (
    <Empty>
      No version in {project} matches. <a href={keepProject('#/registry')}>Show all</a>
    </Empty>
  ) : (
    <Empty>
      No models in {project} yet. Add one with <code>ironlaw artifact add DIRECTORY --type model --name tiny --run RUN</code>.
    </Empty>
  )

const columnsOf = (project: string): readonly Column<ModelSummary>[] => [
  {
    name: 'Version',
    className: 'wraps',
    value: ({ versions, id }) => versions[0] ?? id,
    cell: ({ id, versions }) => (
      <>
        <a href={keepProject(versionHref(project, id))}>{versions[0] ?? <code>{shortId(id)}</code>}</a>
        {versions.length > 0 && <code className="quiet"> {shortId(id)}</code>}
      </>
    ),
  },
  {
    name: 'State',
    value: ({ state }) => state,
    cell: ({ state, uncommitted }) => (
      <>
        <StateChip state={state} />
        {uncommitted && <span className="quiet"> uncommitted code</span>}
      </>
    ),
  },
  { name: 'Added', isNumber: true, value: ({ created_at }) => created_at, cell: ({ created_at }) => showAgo(created_at) },
  {
    name: 'Missing',
    className: 'wraps',
    value: ({ lacks }) => lacks.join(', '),
    cell: ({ lacks }) => (lacks.length === 0 ? '–' : lacks.join(', ')),
  },
  { name: 'Evaluations', isNumber: true, value: ({ evaluation_count }) => evaluation_count },
  {
    name: 'Newest decision',
    value: ({ decision }) => decision?.at,
    cell: ({ decision }) => (decision ? `${decision.answer} by ${decision.by}, ${showAgo(decision.at)}` : '–'),
  },
  {
    name: 'Made by',
    value: ({ made_by }) => made_by,
    cell: ({ made_by }) => (made_by === undefined ? '–' : <a href={keepProject(runHref(made_by))}>{made_by}</a>),
  },
  {
    name: 'Data',
    className: 'wraps',
    value: ({ data }) => datasetsOf(data).text,
    cell: ({ data }) => <DataCell project={project} data={data} />,
  },
]

function DataCell({ project, data }: { readonly project: string; readonly data: ModelSummary['data'] }): ReactNode {
  const { ids, text: stated } = datasetsOf(data)
  const [first, ...others] = ids
  if (first === undefined) return stated || '–'
  return (
    <>
      <a href={keepProject(artifactHref(project, first))}>{shortId(first)}</a>
      {others.length > 0 && <span className="quiet"> and {others.length} more</span>}
    </>
  )
}
