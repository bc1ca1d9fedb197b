// Deployments: a list with live states, and the page of a single one.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { ReactNode } from 'react'
import { showPercent } from '@ironlaw/units'
import { text } from '../address.ts'
import { deploymentHref, followRow } from '../places.ts'
import { showAgo } from '../runs/run-words.tsx'
import { useEvents, useResource } from '../runs/use-live.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Connected } from '../ui/connected.tsx'
import { Heads } from '../ui/heads.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TableBox } from '../ui/table-box.tsx'
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
        <button type="button" className="link" onClick={onForget}>
          Change token
        </button>
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

type DeploymentTableProps = { readonly deployments: readonly DeploymentView[] }

const DeploymentTable = ({ deployments }: DeploymentTableProps): ReactNode => (
  <Card title={deployments.length === 1 ? '1 deployment' : `${deployments.length} deployments`} wide>
    <TableBox label="Table of deployments">
      <table>
        <thead>
          <tr>
            <Heads names={['Deployment', 'State']} />
            <Heads names={['Live', 'Serving']} numbers />
            <Heads names={['Replicas', 'Rollout', 'Why']} />
            <Heads names={['Since']} numbers />
          </tr>
        </thead>
        <tbody>
          {deployments.map(({ id, name, project, state, state_since_at, stable, wanted, replicas, rollout, why }) => (
            <tr key={id} className="pickable" onClick={followRow(deploymentHref(name))}>
              <td>
                <a href={deploymentHref(name)}>{name}</a> <span className="quiet">{project}</span>
              </td>
              <td>
                <DeploymentChip state={state} />
              </td>
              <td className="number">{stable}</td>
              <td className="number">
                {servingReplicas({ replicas, stable })} / {wanted}
              </td>
              <td className="strip-cell">
                <Strip replicas={replicas} wanted={wanted} stable={stable} />
              </td>
              <td>
                {rollout && isRollingView(rollout)
                  ? `revision ${rollout.revision}, ${rollout.state === 'canary' ? showPercent(rollout.share, 0) : rollout.state}`
                  : ''}
              </td>
              <td className="quiet wraps">{why || (rollout && isRollingView(rollout) ? rollout.why : '')}</td>
              <td className="number">{showAgo(state_since_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  </Card>
)
