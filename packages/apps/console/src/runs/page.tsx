// Runs: a list with live states, and the page of a single one.

import type { RunView } from '@ironlaw/contracts/api'
import type { ReactNode } from 'react'
import { oneOf, type State, text, wholeNumber } from '../address.ts'
import { followRow, keepProject, runHref } from '../places.ts'
import { ProjectFilter } from '../shell/project-filter.tsx'
import { useProject, useProjects } from '../shell/use-projects.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Connected, LeaveButton } from '../ui/connected.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Segments } from '../ui/fields.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { useAddress } from '../use-address.ts'
import { RunPage } from './run-page.tsx'
import { showAgo, showDuration, StateChip } from './run-words.tsx'
import { useEvents, useResource } from './use-live.ts'

const RUNS = {
  run: text(''),
  show: oneOf(['all', 'live', 'ended']),
  /** The rank whose log is open. */
  rank: wholeNumber(0),
}

export type RunsState = State<typeof RUNS>

export function RunsPage(): ReactNode {
  const [state, change] = useAddress('runs', RUNS)
  return (
    <Connected title="Runs">
      {(forget) =>
        state.run === '' ? (
          <RunList state={state} change={change} onForget={forget} />
        ) : (
          <RunPage key={state.run} id={state.run} rank={state.rank} onRank={(rank) => change({ rank })} />
        )
      }
    </Connected>
  )
}

type RunListProps = {
  readonly state: RunsState
  readonly change: (part: Partial<RunsState>) => void
  readonly onForget: () => void
}

const ENDED = 'succeeded,failed,cancelled'

function RunList({ state: { show }, change, onForget }: RunListProps): ReactNode {
  const filter = { all: {}, live: { live: 'true' }, ended: { state: ENDED } } as const
  const project = useProject()
  const projects = useProjects()
  const { burst } = useEvents('listEvents', {})
  const answer = useResource('listRuns', { query: { limit: 100, ...filter[show], ...(project !== '' && { project }) } }, burst)
  return (
    <>
      <header className="page-head">
        <h1>Runs</h1>
        <ProjectFilter projects={projects} />
        <Segments label="Show" value={show} options={['all', 'live', 'ended']} onChange={(next) => change({ show: next })} />
        <LeaveButton onLeave={onForget} />
      </header>
      {!answer && <Empty>Loading…</Empty>}
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && answer.value.items.length === 0 && (
        <Empty>
          No runs {project === '' ? 'yet' : `in ${project}`}. Plan one under <a href="#/train">Train</a>, then start it there or with{' '}
          <code>ironlaw apply train.yaml</code>.
        </Empty>
      )}
      {answer?.ok && answer.value.items.length > 0 && (
        <RunTable runs={answer.value.items} columns={(projects?.length ?? 0) > 1 ? PROJECT_COLUMNS : COLUMNS} />
      )}
    </>
  )
}

const NAME: Column<RunView> = {
  name: 'Run',
  value: ({ name }) => name,
  cell: ({ id, name }) => <a href={keepProject(runHref(id))}>{name}</a>,
}

const REST: readonly Column<RunView>[] = [
  {
    name: 'State',
    value: ({ state }) => state,
    cell: ({ state, why }) => (
      <span title={why}>
        <StateChip state={state} />
      </span>
    ),
  },
  {
    name: 'Progress',
    value: ({ step, steps }) => (step === undefined || steps === undefined ? undefined : step / steps),
    cell: ({ name, step, steps }) =>
      step === undefined ? (
        '–'
      ) : steps === undefined ? (
        step
      ) : (
        <>
          <meter className="meter" min={0} max={steps} value={step} aria-label={`Steps of ${name}`} /> {step} / {steps}
        </>
      ),
  },
  { name: 'Loss', isNumber: true, value: ({ loss }) => loss ?? undefined, cell: ({ loss }) => loss?.toFixed(3) ?? '–' },
  { name: 'Step time', isNumber: true, value: ({ step_s }) => step_s, cell: ({ step_s }) => showDuration(step_s) || '–' },
  {
    name: 'Predicted',
    isNumber: true,
    value: ({ predicted_step_s }) => predicted_step_s,
    cell: ({ predicted_step_s }) => showDuration(predicted_step_s) || '–',
  },
  { name: 'Attempt', isNumber: true, value: ({ attempt }) => attempt },
  { name: 'Created', isNumber: true, value: ({ created_at }) => created_at, cell: ({ created_at }) => showAgo(created_at) },
]

const COLUMNS: readonly Column<RunView>[] = [NAME, ...REST]
/** For who sees more than one project. */
const PROJECT_COLUMNS: readonly Column<RunView>[] = [NAME, { name: 'Project', value: ({ project }) => project }, ...REST]

type RunTableProps = { readonly runs: readonly RunView[]; readonly columns: readonly Column<RunView>[] }

const RunTable = ({ runs, columns }: RunTableProps): ReactNode => (
  <Card title={`${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`} wide>
    <DataTable
      name="runs"
      label="Table of runs"
      columns={columns}
      rows={runs}
      keyOf={({ id }) => id}
      rowProps={({ id }) => ({ className: 'pickable', onClick: followRow(keepProject(runHref(id))) })}
    />
  </Card>
)
