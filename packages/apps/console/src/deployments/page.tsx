// Deployments: a list with live states, and the page of a single one.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { type ReactNode, useMemo } from 'react'
import { showPercent } from '@ironlaw/units'
import { text } from '../address.ts'
import { deploymentHref, followRow, keepProject } from '../places.ts'
import { itemsOf } from '../runs/api.ts'
import { showAgo } from '../runs/run-words.tsx'
import { useEvents, useResource } from '../runs/use-live.ts'
import { ProjectFilter } from '../shell/project-filter.tsx'
import { useProject, useProjects } from '../shell/use-projects.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Connected, LeaveButton } from '../ui/connected.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { useAddress } from '../use-address.ts'
import { DeploymentPage } from './deployment-page.tsx'
import { Strip } from './replicas-view.tsx'
import { isRollingView } from './rollout-view.tsx'
import { DeploymentChip, servingReplicas } from './words.tsx'

const DEPLOYMENTS = { deployment: text('') }

export function DeploymentsPage(): ReactNode {
  const [{ deployment }] = useAddress('deployments', DEPLOYMENTS)
  return (
    <Connected title="Deployments">
      {(forget) => (deployment === '' ? <DeploymentList onForget={forget} /> : <DeploymentPage key={deployment} name={deployment} />)}
    </Connected>
  )
}

type DeploymentListProps = { readonly onForget: () => void }

function DeploymentList({ onForget }: DeploymentListProps): ReactNode {
  const project = useProject()
  const projects = useProjects()
  const { burst } = useEvents('listEvents', {})
  const answer = useResource('listDeployments', {}, burst)
  const all = itemsOf(answer)
  const items = useMemo(() => all?.filter((each) => project === '' || each.project === project) ?? [], [all, project])
  return (
    <>
      <header className="page-head">
        <h1>Deployments</h1>
        <ProjectFilter projects={projects} />
        <LeaveButton onLeave={onForget} />
      </header>
      {!answer && <Empty>Loading…</Empty>}
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && items.length === 0 && (
        <Empty>
          No deployments {project === '' ? 'yet' : `in ${project}`}. Plan one under <a href="#/serve">Serve</a>, then start it there or with{' '}
          <code>ironlaw apply serve.yaml</code>.
        </Empty>
      )}
      {items.length > 0 && <DeploymentTable deployments={items} columns={(projects?.length ?? 0) > 1 ? PROJECT_COLUMNS : COLUMNS} />}
    </>
  )
}

const rolloutText = ({ rollout }: DeploymentView): string =>
  rollout && isRollingView(rollout)
    ? `revision ${rollout.revision}, ${rollout.state === 'canary' ? showPercent(rollout.share, 0) : rollout.state}`
    : ''

const NAME: Column<DeploymentView> = {
  name: 'Deployment',
  value: ({ name }) => name,
  cell: ({ name }) => <a href={keepProject(deploymentHref(name))}>{name}</a>,
}

const REST: readonly Column<DeploymentView>[] = [
  { name: 'State', value: ({ state }) => state, cell: ({ state }) => <DeploymentChip state={state} /> },
  { name: 'Live', isNumber: true, value: ({ stable }) => stable },
  {
    name: 'Serving',
    isNumber: true,
    value: (deployment) => servingReplicas(deployment) / Math.max(1, deployment.wanted),
    cell: (deployment) => `${servingReplicas(deployment)} / ${deployment.wanted}`,
  },
  {
    name: 'Replicas',
    className: 'strip-cell',
    value: ({ replicas }) => replicas.length,
    cell: ({ replicas, wanted, stable }) => <Strip replicas={replicas} wanted={wanted} stable={stable} />,
  },
  { name: 'Rollout', value: (deployment) => rolloutText(deployment) || undefined },
  {
    name: 'Why',
    className: 'quiet wraps',
    value: ({ why, rollout }) => why || (rollout && isRollingView(rollout) ? rollout.why : undefined),
  },
  { name: 'Since', isNumber: true, value: ({ state_since_at }) => state_since_at, cell: ({ state_since_at }) => showAgo(state_since_at) },
]

const COLUMNS: readonly Column<DeploymentView>[] = [NAME, ...REST]
/** For who sees more than one project. */
const PROJECT_COLUMNS: readonly Column<DeploymentView>[] = [NAME, { name: 'Project', value: ({ project }) => project }, ...REST]

type DeploymentTableProps = { readonly deployments: readonly DeploymentView[]; readonly columns: readonly Column<DeploymentView>[] }

const DeploymentTable = ({ deployments, columns }: DeploymentTableProps): ReactNode => (
  <Card title={deployments.length === 1 ? '1 deployment' : `${deployments.length} deployments`} wide>
    <DataTable
      name="deployments"
      label="Table of deployments"
      columns={columns}
      rows={deployments}
      keyOf={({ id }) => id}
      rowProps={({ name }) => ({ className: 'pickable', onClick: followRow(keepProject(deploymentHref(name))) })}
    />
  </Card>
)
