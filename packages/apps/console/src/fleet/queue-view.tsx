// Runs and replicas that wait for nodes, and why.

import type { RunView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { memo, type ReactNode } from 'react'
import { deploymentHref, runHref } from '../places.ts'
import { showAgo, showClock } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { Heads } from '../ui/heads.tsx'
import { TableBox } from '../ui/table-box.tsx'

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

export const QueueView = memo(({ runs, deployments }: QueueViewProps): ReactNode => {
  const rows = [...(runs ?? []).map(runRow), ...deployments.filter(({ serving, wanted }) => serving < wanted).map(deploymentRow)].toSorted(
    (one, other) => one.since - other.since,
  )
  return (
    <Card title="Queue" wide busy={!runs} about="Waiting runs and replicas, longest wait first.">
      {rows.length === 0 ? (
        <Empty>{runs ? 'Nothing waits.' : 'Reading…'}</Empty>
      ) : (
        <TableBox label="Table of waiting runs and replicas" isTall>
          <table>
            <thead>
              <tr>
                <Heads names={['What', 'State', 'Wants', 'Why it waits']} />
                <Heads names={['Waits since', 'Expected']} numbers />
              </tr>
            </thead>
            <tbody>
              {rows.map(({ key, href, name, project, wants, state, why, since, expected }) => (
                <tr key={key}>
                  <td>
                    <a href={href}>{name}</a> <span className="quiet">{project}</span>
                  </td>
                  <td>{state}</td>
                  <td>{wants}</td>
                  <td className="wraps">{why}</td>
                  <td className="number">{showAgo(since)}</td>
                  <td className="number">{expected === undefined ? '–' : showClock(expected)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
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
