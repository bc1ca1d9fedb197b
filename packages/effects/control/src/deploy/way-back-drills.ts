// Drills of the way back: recorded where the trail shows both orders, and read back.

import { IronlawError } from '@ironlaw/contracts'
import { type Drill, DRILL, type NewDrill, WAY_BACK_LIMITS_S } from '@ironlaw/contracts/way-back-drill'
import {
  type Database,
  type Deployment,
  deploymentStream,
  DRILL_EVENT,
  type Event,
  lastDrills,
  newestEvents,
  orderDeployment,
} from '@ironlaw/store'

/** Replicas of a thousand leave that many events between two orders. */
const SEARCHED = 5000
/** Clocks of the caller and the control plane run apart a little, and a request takes its time. */
const SLACK_S = 2

type DrillContext = { readonly deployment: Deployment; readonly actor: string; readonly at: number }

export async function recordDrill(database: Database, drill: NewDrill, { deployment, actor, at }: DrillContext): Promise<Drill> {
  const { id, name } = deployment
  const orders = (await newestEvents(database, deploymentStream(id), SEARCHED)).filter(({ kind }) => kind === 'rollout-returned').slice(-2)
  const problem = drillProblem(drill, orders, at)
  if (problem !== undefined)
    throw new IronlawError('IL_CONFLICT', {
      problem: `the trail of deployment "${name}" does not show this drill: ${problem}`,
      next: `run the drill again: "ironlaw drill rollback ${name}"`,
    })
  const limit_s = WAY_BACK_LIMITS_S[drill.tier]
  const body = { ...drill, limit_s, within: drill.back_s !== undefined && drill.back_s <= limit_s }
  await orderDeployment(database, { id, at }, () => ({
    answer: undefined,
    change: { events: [{ kind: DRILL_EVENT, actor, at, body }] },
  }))
  return { ...body, at, by: actor }
}

type ReturnEvent = Pick<Event, 'at' | 'body'>

/** Whoever records a drill cannot claim a shorter one than the orders allow, nor one that was not made. */
export function drillProblem(
  { from, to, back_s = 0, forth_s = 0 }: NewDrill,
  orders: readonly ReturnEvent[],
  now: number,
): string | undefined {
  const [back, forth] = orders
  if (!back || !forth) return 'it has no two orders to return'
  const isOrder = ({ body }: ReturnEvent, wanted: object): boolean =>
    Object.entries(wanted).every(([field, value]) => body[field] === value)
  if (!isOrder(back, { revision: to, from }) || !isOrder(forth, { revision: from, from: to }))
    return `its last orders are not from revision ${from} to ${to} and forth`
  if (back_s > forth.at - back.at + SLACK_S || forth_s > now - forth.at + SLACK_S) return 'less time passed between its orders'
  return undefined
}

export const drillsOf = async (database: Database, id: string): Promise<Drill[]> =>
  (await lastDrills(database, id)).map(({ at, actor, body }) => DRILL.parse({ ...body, at, by: actor }))
