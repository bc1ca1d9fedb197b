// The fleet: its nodes, the queue, and how their time was used.

import type { NodeView, RunView } from '@ironlaw/contracts/api'
import type { FleetLedger } from '@ironlaw/contracts/ledger-fleet'
import { DAY, showPercent } from '@ironlaw/units'
import { type ReactNode, useState } from 'react'
import { addressOf, oneOf, type State, text } from '../address.ts'
import { itemsOf } from '../runs/api.ts'
import { useResource } from '../runs/use-live.ts'
import { Empty } from '../ui/card.tsx'
import { Connected, LeaveButton } from '../ui/connected.tsx'
import { Fact } from '../ui/fact.tsx'
import { Segments } from '../ui/fields.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { useAddress } from '../use-address.ts'
import { MeasuredView } from './measured-view.tsx'
import { isUnavailable, NodesView, ReasonsView, NODE_FILTERS } from './nodes-view.tsx'
import { QueueView, WAITING } from './queue-view.tsx'
import { tiersOf } from './tiers.ts'
import { useDetails } from './use-details.ts'
import { CausesView, GroupsView, TiersView } from './utilisation-view.tsx'

const SINCE = { week: 7, month: 30, ever: Infinity } as const

const FLEET = { show: oneOf(NODE_FILTERS), node: text(''), since: oneOf(['week', 'month', 'ever']), by: oneOf(['project', 'team']) }

type FleetState = State<typeof FLEET>

export function FleetPage(): ReactNode {
  const [state, change] = useAddress('fleet', FLEET)
  return <Connected title="Fleet">{(forget) => <Fleet state={state} change={change} onForget={forget} />}</Connected>
}

type FleetProps = {
  readonly state: FleetState
  readonly change: (part: Partial<FleetState>) => void
  readonly onForget: () => void
}

function Fleet({ state, change, onForget }: FleetProps): ReactNode {
  const [orders, setOrders] = useState(0)
  const nodes = useResource('listNodes', {}, orders)
  return (
    <>
      <header className="page-head">
        <h1>Fleet</h1>
        <Segments label="Nodes" value={state.show} options={NODE_FILTERS} onChange={(show) => change({ show })} />
        <Segments label="Ended within" value={state.since} options={['week', 'month', 'ever']} onChange={(since) => change({ since })} />
        <Segments label="Time by" value={state.by} options={['project', 'team']} onChange={(by) => change({ by })} />
        <LeaveButton onLeave={onForget} />
      </header>
      {!nodes && <Empty>Loading…</Empty>}
      {nodes && !nodes.ok && <Refusal problem={nodes} />}
      {nodes?.ok && <FleetDetails nodes={nodes.value.items} state={state} change={change} onOrdered={() => setOrders(orders + 1)} />}
    </>
  )
}

type FleetDetailsProps = Omit<FleetProps, 'onForget'> & { readonly nodes: readonly NodeView[]; readonly onOrdered: () => void }

function FleetDetails({ nodes, state: { show, node, since, by }, change, onOrdered }: FleetDetailsProps): ReactNode {
  // Whole days, like the books, so that the URL of the request stays the same all day.
  const from = Math.max(0, Math.floor(Date.now() / 1000 / DAY - SINCE[since]) * DAY)
  const booked = useResource('getFleetLedger', { query: { by, since: Number.isFinite(from) ? from : 0 } }, 0)
  const ledger = booked?.ok ? booked.value : undefined
  const waiting = itemsOf(useResource('listRuns', { query: { limit: 100, state: WAITING } }, 0))
  const runs = itemsOf(useResource('listRuns', { query: { limit: 100 } }, 0))
  const deployments = itemsOf(useResource('listDeployments', {}, 0))
  const paced = runs?.filter(hasPredictedStep).slice(0, COMPARED_RUNS)
  const pick = (name: string): void => change({ node: name })
  return (
    <>
      <Headline nodes={nodes} waiting={waiting?.length ?? 0} ledger={ledger} />
      <div className="cards">
        <NodesView nodes={nodes} shown={show} chosen={node} onPick={pick} onOrdered={onOrdered} />
        <QueueView runs={waiting} deployments={deployments ?? []} />
        <TiersView ledger={ledger} />
        <ReasonsView nodes={nodes} nodeHref={(name) => addressOf('fleet', FLEET, { show, node: name, since, by })} />
        <CausesView ledger={ledger} />
        <GroupsView ledger={ledger} />
        <MeasuredView runs={useDetails(paced?.map(({ id }) => id))} />
      </div>
    </>
  )
}

/** More would be too many to compare. */
const COMPARED_RUNS = 14

const hasPredictedStep = ({ state, predicted_step_s }: RunView): boolean =>
  predicted_step_s !== undefined && (state === 'running' || state === 'succeeded')

/** Accelerators by kind, over all these nodes. */
function devicesOf(nodes: readonly NodeView[]): readonly { readonly kind: string; readonly total: number; readonly free: number }[] {
  const byKind = Map.groupBy(
    nodes.flatMap(({ devices = [] }) => devices),
    ({ kind }) => kind,
  )
  return [...byKind].map(([kind, counts]) => ({
    kind,
    total: counts.reduce((sum, { total }) => sum + total, 0),
    free: counts.reduce((sum, { free }) => sum + free, 0),
  }))
}

type HeadlineProps = { readonly nodes: readonly NodeView[]; readonly waiting: number; readonly ledger: FleetLedger | undefined }

const count = (value: number): string => value.toLocaleString('en')

function Headline({ nodes, waiting, ledger }: HeadlineProps): ReactNode {
  const inService = nodes.filter((node) => !isUnavailable(node))
  const slots = nodes.reduce((sum, node) => sum + node.slots, 0)
  const taken = inService.reduce((sum, node) => sum + node.slots - node.free, 0)
  const usable = inService.reduce((sum, node) => sum + node.slots, 0)
  const productive = ledger && ledger.runs > 0 ? tiersOf(ledger).at(-1)?.share : undefined
  const showShare = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`)
  return (
    <section className="headline" aria-label="The fleet">
      <dl className="numbers">
        <Fact label="Nodes in service" value={inService.length} about={`of ${count(nodes.length)}`} />
        <Fact
          label="Slots taken"
          value={showShare(taken, usable)}
          about={`${count(taken)} of ${count(usable)} in service, ${count(slots)} in all`}
        />
        {devicesOf(inService).map(({ kind, total, free }) => (
          <Fact
            key={kind}
            label={`${kind} taken`}
            value={showShare(total - free, total)}
            about={`${total - free} of ${total} in service`}
          />
        ))}
        <Fact label="Idle nodes" value={nodes.filter(({ state }) => state === 'idle').length} about="ready for work" />
        <Fact label="Out of service" value={nodes.length - inService.length} about="drained, silent or down" />
        <Fact label="Waiting runs" value={waiting} about={ledger ? `${ledger.live} live in all` : ''} />
        <Fact label="Productive" value={productive === undefined ? '–' : showPercent(productive, 0)} about="of the time runs requested" />
      </dl>
    </section>
  )
}
