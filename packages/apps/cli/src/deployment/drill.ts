// `ironlaw drill rollback`: goes back on the live deployment and forth again, takes the time of both, and records it. A copy of the deployment would show
// neither its gateways nor its cluster.

import { IronlawError } from '@ironlaw/contracts'
import type { DeploymentView, RolloutOrderBody } from '@ironlaw/contracts/deployment-api'
import { type Drill, type DrillTier, WAY_BACK_LIMITS_S } from '@ironlaw/contracts/way-back-drill'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { readUntil } from '../api/read-until.ts'
import { confirm } from '../confirm.ts'
import { type Context, context } from '../context/context.ts'
import { runInterruptible } from '../interruption.ts'
import { drillText } from './deployment-text.ts'

type DrillFlags = { readonly tier: DrillTier | undefined; readonly isConfirmed: boolean }

/** Undefined if the user did not confirm. */
export async function drillRollback(name: string, { tier: wanted, isConfirmed }: DrillFlags): Promise<CommandAnswer | undefined> {
  const to = context()
  const deployment = await api(to).getDeployment({ name })
  const { previous, stable: from, wanted: replicas } = deployment
  const isKept = previous !== undefined && previous.warm >= replicas
  const tier = wanted ?? (isKept ? 'warm' : 'registry')
  if (previous === undefined) throw noWayBack(name, `no revision served right before revision ${from}`)
  if (tier === 'warm' && !isKept)
    throw noWayBack(name, `${previous.warm} of ${replicas} replicas of revision ${previous.revision} are kept ready`)
  const how = tier === 'warm' ? 'the replicas that are kept ready' : `${replicas} replicas that start next to those that serve`
  const question = `move all requests of "${name}" to revision ${previous.revision} and back again, on ${how}?`
  if (!isConfirmed && !(await confirm({ question, command: 'drill' }))) return undefined
  const drill = await runInterruptible(leftHalfway(name, from), () => backAndForth(to, name, { from, tier }))
  const isOver = !drill.within || drill.forth_s === undefined
  return {
    json: drill,
    text: () => drillText(drill, Date.now() / 1000),
    ...(isOver && { exit: 3 as const, violation: slowText(name, drill) }),
  }
}

const noWayBack = (name: string, problem: string): IronlawError =>
  new IronlawError('IL_CONFLICT', {
    problem,
    next: `"ironlaw drill rollback ${name} --tier registry" starts replicas, if another revision served before`,
  })

const leftHalfway = (name: string, from: number) => ({
  what: 'the drill may have left an earlier revision serving',
  next: `"ironlaw rollout status ${name}" shows it, "ironlaw rollout back ${name} --to ${from}" returns to the revision before the drill`,
})

const slowText = (name: string, { back_s, limit_s, from }: Drill) => ({
  problem:
    back_s === undefined || back_s > limit_s ? `the way back takes longer than ${limit_s} s` : `revision ${from} does not serve again yet`,
  next: `"ironlaw describe ${name}" says what its replicas wait for`,
})

async function backAndForth(
  to: Context,
  name: string,
  { from, tier }: { readonly from: number; readonly tier: DrillTier },
): Promise<Drill> {
  const limit_s = WAY_BACK_LIMITS_S[tier]
  const back = await timedReturn(to, { name, limit_s, body: { do: 'back', ...(tier === 'registry' && { fresh: true }) } })
  const forth = await timedReturn(to, { name, limit_s: WAY_BACK_LIMITS_S.registry, body: { do: 'back', to: from } })
  const body = { tier, from, to: back.revision, ...(back.took_s !== undefined && { back_s: back.took_s }) }
  return api(to).recordDrill({ name, body: { ...body, ...(forth.took_s !== undefined && { forth_s: forth.took_s }) } })
}

type TimedOrder = { readonly name: string; readonly limit_s: number; readonly body: RolloutOrderBody }

type TimedReturn = { readonly revision: number; readonly took_s?: number }

/** Without a time when the limit passed first. */
async function timedReturn(to: Context, { name, limit_s, body }: TimedOrder): Promise<TimedReturn> {
  const begun = performance.now()
  const took = (): number => (performance.now() - begun) / 1000
  const { stable: revision } = await api(to).orderRollout({ name, body })
  process.stderr.write(`ordered revision ${revision}\n`)
  const read = async (): Promise<boolean> =>
    servesAll(await api(to).getDeployment({ name }), revision) && (await areGatewaysCurrent(to, name))
  const isReached = await readUntil({ read, show: () => undefined, isOver: (serves) => serves || took() > limit_s })
  return { revision, ...(isReached && { took_s: took() }) }
}

const servesAll = ({ stable, wanted, replicas }: DeploymentView, revision: number): boolean => {
  const serving = replicas.filter(({ state }) => state === 'serving')
  return stable === revision && serving.length >= wanted && serving.every((each) => each.revision === revision)
}

async function areGatewaysCurrent(to: Context, name: string): Promise<boolean> {
  const { gateways } = await api(to).getDeploymentFigures({ name })
  return gateways.every(({ state }) => state !== 'behind')
}
