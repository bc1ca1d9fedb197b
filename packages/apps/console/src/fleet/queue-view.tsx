// Runs and replicas that wait for nodes, and why.

import type { RunView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { memo, type ReactNode } from 'react'
import { deploymentHref, runHref } from '../places.ts'
import { showAgo, showClock } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'

export const WAITING = 'queued,starting,checking,recovering,unreachable'

export type QueueViewProps = { readonly runs: readonly RunView[] | undefined; readonly deployments: readonly DeploymentView[] }

type Row = {
  readonly key: string
  readonly href: string
  readonly name: string
  readonly project: string
  readonly wants: string
  readonly state: string
  readonly why: string
  readonly since: number
  readonly expected?: number
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'What',
    value: ({ name, project }) => `${name} ${project}`,
    cell: ({ href, name, project }) => (
      <>
        <a href={href}>{name}</a> <span className="quiet">{project}</span>
      </>
    ),
  },
  { name: 'State', value: ({ state }) => state },
  { name: 'Wants', value: ({ wants }) => wants },
  { name: 'Why it waits', className: 'wraps', value: ({ why }) => why },
  { name: 'Waits since', isNumber: true, value: ({ since }) => since, cell: ({ since }) => showAgo(since) },
  {
    name: 'Expected',
    isNumber: true,
    value: ({ expected }) => expected,
    cell: ({ expected }) => (expected === undefined ? '–' : showClock(expected)),
  },
]

export const QueueView = memo(({ runs, deployments }: QueueViewProps): ReactNode => {
  const rows = [...(runs ?? []).map(runRow), ...deployments.filter(({ serving, wanted }) => serving < wanted).map(deploymentRow)].toSorted(
    (one, other) => one.since - other.since,
  )
  return (
    <Card title="Queue" wide busy={!runs} about="Waiting runs and replicas, longest wait first.">
      {rows.length === 0 ? (
        <Empty>{runs ? 'Nothing waits.' : 'Reading…'}</Empty>
      ) : (
        <DataTable name="queue" label="Table of waiting runs and replicas" columns={COLUMNS} rows={rows} keyOf={({ key }) => key} isTall />
      )}
    </Card>
  )
})

const nodesText = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`)

const runRow = ({ id, name, project, state, state_since_at, why, shape, estimated_start_at }: RunView): Row => ({
  key: id,
  href: runHref(id),
  name,
  project,
  wants: `${nodesText(shape.nodes)} × ${shape.processesPerNode}`,
  state,
  why: why || 'not considered yet',
  since: state_since_at,
  ...(estimated_start_at !== undefined && { expected: estimated_start_at }),
})

const deploymentRow = ({ id, name, project, state, state_since_at, why, wanted, serving }: DeploymentView): Row => ({
  key: id,
  href: deploymentHref(name),
  name,
  project,
  wants: wanted - serving === 1 ? '1 replica' : `${wanted - serving} replicas`,
  state,
  why,
  since: state_since_at,
})
