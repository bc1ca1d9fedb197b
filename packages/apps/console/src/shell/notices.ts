// Derives what needs the user's attention from the state of the control plane.

import type { NodeView, RunView } from '@ironlaw/contracts/api'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { BudgetState, GatewayView } from '@ironlaw/contracts/gateway-sync'
import { dollars, show } from '@ironlaw/units'
import { deploymentHref, runHref } from '../places.ts'

export type Notice = {
  /** The same problem has the same id, so that a seen one stays seen. */
  readonly id: string
  readonly title: string
  readonly why: string
  readonly href: string
  readonly at: number
}

export type ObservedState = {
  readonly runs: readonly RunView[]
  readonly deployments: readonly DeploymentView[]
  readonly nodes: readonly NodeView[]
  readonly gateways: readonly GatewayView[]
  /** Offset of this browser's clock from the control plane's, in seconds. */
  readonly clockAhead_s: number
}

/** Older failures are not reported. */
const RECENT_S = 86_400
/** Shares of a budget at which the user is notified, once each. */
const BUDGET_SHARES = [1, 0.95, 0.8] as const
/** Smaller offsets cannot be distinguished from network latency. */
const CLOCK_OFF_S = 60

export function noticesOf({ runs, deployments, nodes, gateways, clockAhead_s }: ObservedState, now: number): readonly Notice[] {
  return [
    ...runs.flatMap((run) => runNotice(run, now)),
    ...deployments.flatMap(deploymentNotices),
    ...nodeNotices(nodes, now),
    ...gateways.flatMap(gatewayNotice),
    ...budgetNotices(gateways),
    ...clockNotice(clockAhead_s, now),
  ].toSorted((one, other) => other.at - one.at)
}

function runNotice({ id, name, state, state_since_at, why, outcome, ended_at = 0 }: RunView, now: number): readonly Notice[] {
  const notice = (title: string, words: string): Notice => ({
    id: `${id} ${state} ${state_since_at}`,
    title,
    why: words,
    href: runHref(id),
    at: state_since_at,
  })
  if (state === 'failed' && now - ended_at < RECENT_S) return [notice(`Run ${name} failed`, outcome?.detail ?? why)]
  if (why.startsWith('waiting for storage')) return [notice(`Run ${name}: shared storage is unavailable`, why)]
  if (state === 'unreachable') return [notice(`Run ${name} is unreachable`, why)]
  return []
}

function deploymentNotices({ id, name, state, state_since_at, why, rollout }: DeploymentView): readonly Notice[] {
  const href = deploymentHref(name)
  const degraded: Notice[] =
    state === 'degraded'
      ? [{ id: `${id} degraded ${state_since_at}`, title: `Deployment ${name} is degraded`, why, href, at: state_since_at }]
      : []
  if (!rollout || (rollout.state !== 'rolled-back' && rollout.state !== 'paused')) return degraded
  const { revision, since_at } = rollout
  const title =
    rollout.state === 'paused' ? `${name}: revision ${revision} waits for your decision` : `${name}: revision ${revision} was rolled back`
  return [...degraded, { id: `${id} ${revision} ${rollout.state}`, title, why: rollout.why, href, at: since_at }]
}

function nodeNotices(nodes: readonly NodeView[], now: number): readonly Notice[] {
  const away = nodes.filter(({ state }) => state === 'down' || state === 'unresponsive')
  if (away.length === 0) return []
  const names = away.slice(0, 3).map(({ name }) => name)
  const more = away.length > names.length ? ` and ${away.length - names.length} more` : ''
  return [
    {
      id: `nodes ${away.map(({ name }) => name).join(' ')}`,
      title: `${away.length} ${away.length === 1 ? 'node is' : 'nodes are'} down or unresponsive`,
      why: `${names.join(', ')}${more}`,
      href: '#/fleet?show=out',
      at: now,
    },
  ]
}

function gatewayNotice({ id, state, seen_at, rejected }: GatewayView): readonly Notice[] {
  if (state !== 'rejected' && state !== 'silent') return []
  const title = state === 'silent' ? `Gateway ${id} is silent` : `Gateway ${id} rejected its configuration`
  return [
    { id: `gateway ${id} ${state} ${rejected?.version ?? ''}`, title, why: rejected?.reason ?? '', href: '#/deployments', at: seen_at },
  ]
}

/** All gateways spend from the same budget, so the highest reported amount is right. */
function budgetNotices(gateways: readonly GatewayView[]): readonly Notice[] {
  const told = gateways.flatMap(({ seen_at, budgets = [] }) => budgets.map((budget) => ({ budget, at: seen_at })))
  return [...Map.groupBy(told, ({ budget }) => budget.name).values()].flatMap((each) => {
    const [most] = each.toSorted((one, other) => shareOf(other.budget) - shareOf(one.budget))
    const reached = most && BUDGET_SHARES.find((share) => shareOf(most.budget) >= share)
    if (!most || reached === undefined) return []
    const { name, spent_usd, limit_usd } = most.budget
    const title = reached === 1 ? `Budget ${name} is spent` : `Budget ${name} is ${Math.floor(100 * shareOf(most.budget))} % spent`
    const then = reached === 1 ? 'its tenants are refused' : 'its tenants are refused when it is spent'
    return [
      {
        id: `budget ${name} ${limit_usd} ${reached}`,
        title,
        why: `${show(dollars(spent_usd), 'USD')} of ${show(dollars(limit_usd), 'USD')}; ${then}.`,
        href: '#/deployments',
        at: most.at,
      },
    ]
  })
}

const shareOf = ({ spent_usd, limit_usd }: BudgetState): number => (limit_usd > 0 ? spent_usd / limit_usd : 1)

const clockNotice = (ahead_s: number, now: number): readonly Notice[] =>
  Math.abs(ahead_s) < CLOCK_OFF_S
    ? []
    : [
        {
          id: 'clock',
          title: `The clocks of this computer and the control plane differ by ${Math.round(Math.abs(ahead_s))} s`,
          why: 'Times on these pages are off by that much. Synchronize both clocks with NTP.',
          href: '#/fleet',
          at: now,
        },
      ]
