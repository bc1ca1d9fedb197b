// The nodes of the cluster by state and use, and why some are out of service.

import type { NodeView } from '@ironlaw/contracts/api'
import type { ReactNode } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { FilterField, includesText, useFind } from '../ui/filter-field.tsx'
import { NodeCard } from './node-card.tsx'
import { NodeGrid } from './node-grid.tsx'

const STATES = ['busy', 'idle', 'drained', 'unresponsive', 'down'] as const

export const NODE_FILTERS = ['all', 'busy', 'idle', 'out'] as const

type NodeFilter = (typeof NODE_FILTERS)[number]

export const isUnavailable = ({ state }: NodeView): boolean => state !== 'busy' && state !== 'idle'

export type NodesViewProps = {
  readonly nodes: readonly NodeView[]
  readonly shown: NodeFilter
  readonly chosen: string
  readonly onPick: (name: string) => void
  readonly onOrdered: () => void
}

const NATURAL = new Intl.Collator('en', { numeric: true })

export function NodesView({ nodes, shown, chosen, onPick, onOrdered }: NodesViewProps): ReactNode {
  const [find, setFind] = useFind('nodes')
  const sorted = nodes
    .filter((node) => shown === 'all' || (shown === 'out' ? isUnavailable(node) : node.state === shown))
    .filter(({ name, reason = '' }) => includesText(`${name} ${reason}`, find))
    .toSorted((one, other) => NATURAL.compare(one.name, other.name))
  const node = sorted.find(({ name }) => name === chosen)
  return (
    <Card
      title={nodes.length === 1 ? '1 node' : `${nodes.length.toLocaleString('en')} nodes`}
      about="One cell per node, filled by the share of its slots in use."
      wide
    >
      <FilterField label="Nodes" find={find} onFind={setFind} shown={sorted.length} total={nodes.length} />
      {sorted.length === 0 ? <Empty>No node matches.</Empty> : <NodeGrid nodes={sorted} chosen={chosen} onPick={onPick} />}
      <p className="keys">
        {STATES.map((state) => (
          <span key={state}>
            <i
              className={`swatch node ${state}`}
              style={{ '--used': state === 'busy' ? '100%' : state === 'unresponsive' ? '50%' : '0%' }}
            />{' '}
            {state} {nodes.filter((each) => each.state === state).length}
          </span>
        ))}
      </p>
      {node ? (
        <NodeCard key={node.name} node={node} onOrdered={onOrdered} />
      ) : (
        <p className="node-card quiet">Choose a node to see what it does.</p>
      )}
    </Card>
  )
}

type ReasonsViewProps = { readonly nodes: readonly NodeView[]; readonly nodeHref: (name: string) => string }

/** A longer list of names would not be read. */
const NAMED = 12

export function ReasonsView({ nodes, nodeHref }: ReasonsViewProps): ReactNode {
  const groups = [...Map.groupBy(nodes.filter(isUnavailable), ({ state, reason }) => reason ?? `${state}, no reason given`)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  )
  return (
    <Card title="Out of service" about="Why nodes get no jobs, most frequent first.">
      {groups.length === 0 && <Empty>Every node is in service.</Empty>}
      <ul className="reasons tall" tabIndex={0} aria-label="Reasons">
        {groups.map(([reason, members]) => (
          <li key={reason}>
            <strong>{members.length}</strong>
            <span>{reason}</span>
            <span className="quiet">
              {members.slice(0, NAMED).map(({ name }, at) => (
                <span key={name}>
                  {at > 0 && ', '}
                  <a href={nodeHref(name)}>{name}</a>
                </span>
              ))}
              {members.length > NAMED && ` and ${members.length - NAMED} more`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
