// Deployments: a list with live states, and the page of a single one.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { ReactNode } from 'react'
import { showPercent } from '@ironlaw/units'
import { text } from '../address.ts'
import { deploymentHref, followRow } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { useEvents, useResource } from '../runs/use-live.ts'
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
  const { burst } = useEvents('listEvents', {})
  const answer = useResource('listDeployments', {}, burst)
  const items = answer?.ok ? answer.value.items : []
  return (
    <>
      <header className="page-head">
        <h1>Deployments</h1>
        <LeaveButton onLeave={onForget} />
      </header>
      {!answer && <Empty>Loading…</Empty>}
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && items.length === 0 && (
        <Empty>
          No deployments yet. Plan one under <a href="#/serve">Serve</a>, then start it there or with <code>ironlaw apply serve.yaml</code>.
        </Empty>
      )}
      {items.length > 0 && <DeploymentTable deployments={items} />}
    </>
  )
}

const rolloutText = ({ rollout }: DeploymentView): string =>
  rollout && isRollingView(rollout)
    ? `revision ${rollout.revision}, ${rollout.state === 'canary' ? showPercent(rollout.share, 0) : rollout.state}`
    : ''

const COLUMNS: readonly Column<DeploymentView>[] = [
  {
    name: 'Deployment',
    value: ({ name, project }) => `${name} ${project}`,
    cell: ({ name, project }) => (
      <>
        <a href={deploymentHref(name)}>{name}</a> <span className="quiet">{project}</span>
      </>
    ),
  },
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

type DeploymentTableProps = { readonly deployments: readonly DeploymentView[] }

const DeploymentTable = ({ deployments }: DeploymentTableProps): ReactNode => (
  <Card title={deployments.length === 1 ? '1 deployment' : `${deployments.length} deployments`} wide>
    <DataTable
      name="deployments"
      label="Table of deployments"
      columns={COLUMNS}
      rows={deployments}
      keyOf={({ id }) => id}
      rowProps={({ name }) => ({ className: 'pickable', onClick: followRow(deploymentHref(name)) })}
    />
  </Card>
)
