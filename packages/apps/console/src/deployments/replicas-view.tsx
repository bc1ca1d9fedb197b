// Replicas: one square each, by state, and as a table.

import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { memo, type ReactNode } from 'react'
import { showAgo } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { servingReplicas } from './words.tsx'

type Replica = DeploymentView['replicas'][number]

const STATES = ['serving', 'warm', 'starting', 'submitting', 'draining', 'stopping'] as const
/** With more squares than this, the number in each is too small to read. */
const NUMBERED = 80

export type StripProps = { readonly replicas: readonly Replica[]; readonly wanted: number; readonly stable: number }

/** Squares in the order of states; desired replicas that do not exist yet are outlines. */
export function Strip({ replicas, wanted, stable }: StripProps): ReactNode {
  const sorted = replicas.toSorted((one, other) => stateOrder(one) - stateOrder(other) || one.revision - other.revision)
  const missing = Math.max(0, wanted - replicas.filter(({ revision }) => revision === stable).length)
  const size = replicas.length + missing > NUMBERED ? 'strip small' : 'strip'
  const told = STATES.map((state) => [replicas.filter((replica) => replica.state === state).length, state] as const)
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${count} ${state}`)
  return (
    <span className={size} role="img" aria-label={told.length > 0 ? told.join(', ') : 'no replicas'}>
      {sorted.map(({ id, revision, state }) => (
        <i key={id} className={`${state}${revision === stable ? '' : ' tried'}`} title={`${shortId(id)}: revision ${revision}, ${state}`}>
          {size === 'strip' && revision}
        </i>
      ))}
      {Array.from({ length: missing }, (_, at) => (
        <i key={`missing ${at}`} className="missing" title="desired, not started yet" />
      ))}
    </span>
  )
}

const stateOrder = ({ state }: Replica): number => STATES.findIndex((each) => each === state)

const shortId = (id: string): string => `#${id.split('.').at(-1) ?? id}`

const hostOf = (url: string | undefined): string => (url !== undefined && URL.canParse(url) ? new URL(url).host : '')

type ReplicaRow = Replica & { readonly running: number | undefined }

const ID = { name: 'Replica', value: ({ id }: Replica) => shortId(id), cell: ({ id }: Replica) => <span title={id}>{shortId(id)}</span> }
const REVISION = { name: 'Revision', isNumber: true, value: ({ revision }: Replica) => revision }
const WHY = { name: 'Why', className: 'quiet', value: ({ detail }: Replica) => detail || undefined }
const since = (name: string): Column<Replica> => ({
  name,
  isNumber: true,
  value: ({ since_at }) => since_at,
  cell: ({ since_at }) => showAgo(since_at),
})

const COLUMNS: readonly Column<ReplicaRow>[] = [
  ID,
  { name: 'State', value: ({ state }) => state },
  { name: 'Where', value: ({ url }) => hostOf(url) || undefined },
  REVISION,
  { name: 'Requests now', isNumber: true, value: ({ running }) => running },
  since('Since'),
  WHY,
]

/** While no replica has anything to explain. */
const PLAIN_COLUMNS = COLUMNS.slice(0, -1)

const GONE_COLUMNS: readonly Column<Replica>[] = [ID, { name: 'Ended', value: ({ end }) => end }, WHY, REVISION, since('Gone')]

export type ReplicasViewProps = { readonly deployment: DeploymentView; readonly figures: DeploymentFigures | undefined }

export const ReplicasView = memo(({ deployment, figures }: ReplicasViewProps): ReactNode => {
  const { replicas, wanted, stable } = deployment
  const running = new Map(figures?.replicas.map((each) => [each.id, each.running]))
  const columns = replicas.some(({ detail }) => detail !== undefined) ? COLUMNS : PLAIN_COLUMNS
  const rows = replicas.map((replica) => ({ ...replica, running: running.get(replica.id) }))
  return (
    <Card
      title="Replicas"
      about={`${servingReplicas(deployment)} of ${wanted} serve revision ${stable}. The number in a square is its revision.`}
      wide
    >
      <Strip replicas={replicas} wanted={wanted} stable={stable} />
      <p className="keys">
        {STATES.map((state) => (
          <span key={state}>
            <i className={`swatch replica ${state}`} /> {state}
          </span>
        ))}
        <span>
          <i className="swatch replica serving tried" /> on trial
        </span>
        <span>
          <i className="swatch replica missing" /> desired
        </span>
      </p>
      {replicas.length === 0 ? (
        <Empty>No replicas.</Empty>
      ) : (
        <DataTable name="replicas" label="Table of replicas" columns={columns} rows={rows} keyOf={({ id }) => id} isTall />
      )}
      <EndedReplicas replicas={deployment.gone ?? []} />
    </Card>
  )
})

/** The last replicas that ended, and why. */
function EndedReplicas({ replicas }: { readonly replicas: readonly Replica[] }): ReactNode {
  if (replicas.length === 0) return null
  return (
    <details className="gone" open={replicas[0]?.end !== 'drained'}>
      <summary>The last {replicas.length} that are gone</summary>
      <DataTable name="gone" label="Replicas that are gone" columns={GONE_COLUMNS} rows={replicas} keyOf={({ id }) => id} isTall />
    </details>
  )
}
