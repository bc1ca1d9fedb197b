// What must hold at the end of a history: in the event log, in the tables, in the executor's own record, at the gateways and in the books.

import { isRolling } from '@ironlaw/contracts'
import { deploymentStream, eventsOf, GATEWAYS_STREAM, replicasOf, snapshotOf, verifyChain } from '@ironlaw/store'
import { BUDGET } from './people.ts'
import { promotedIn, replicaLogFaults } from './replica-log.ts'
import type { World } from './world.ts'

/** Sentences that say what is broken; none when all is well. */
export async function violations(world: World): Promise<string[]> {
  return [...world.witness.violations, ...(await deploymentFaults(world)), ...jobFaults(world), ...(await billFaults(world))]
}

async function deploymentFaults(world: World): Promise<string[]> {
  const { database, plan } = world
  const row = await world.row()
  if (!row) return ['the deployment is lost']
  const forged: string[] = []
  for (const stream of [deploymentStream(row.id), GATEWAYS_STREAM])
    if (!(await verifyChain(database, stream)).intact) forged.push(`the audit trail of ${stream} is not intact`)
  const events = await eventsOf(database, deploymentStream(row.id), { after: 0, limit: 10_000 })
  const promoted = promotedIn(events)
  const stable = row.stable === promoted ? [] : [`revision ${row.stable} is the stable one, revision ${promoted} was promoted last`]
  const log = [...forged, ...replicaLogFaults(events), ...stable]
  const replicas = (await replicasOf(database, [row.id], { goneSince_at: Infinity })).get(row.id)
  const states = replicas.map(({ id, state, revision }) => `${id} ${state} ${revision}`).join(', ')
  if (plan.isRemoved) return row.state === 'removed' ? log : [...log, `is not removed: ${row.state}, ${row.why}; ${states}`]
  const isReached =
    row.state === 'serving' &&
    !isRolling(row.rollout) &&
    replicas.length === row.wanted &&
    replicas.every(({ state, revision }) => state === 'serving' && revision === row.stable)
  const { version } = await snapshotOf(database)
  const behind = world.gateways.filter(({ directory }) => directory?.snapshot.version !== version).map(({ name }) => name)
  return [
    ...log,
    ...(isReached
      ? []
      : [`desired replicas are not reached: ${row.state}, ${row.rollout?.state}, ${row.wanted} of revision ${row.stable}; ${states}`]),
    ...(behind.length === 0 ? [] : [`${behind.join(', ')} did not apply version ${version}`]),
  ]
}

/** No job is left behind, and none runs that no replica stands for. */
function jobFaults({ fleet, alive }: World): string[] {
  return [...fleet.jobs()]
    .filter(([key, { state }]) => state !== 'ended' && !alive.has(key))
    .map(([key, { state }]) => `${key} is ${state}, no replica stands for it`)
}

/** What was consumed is spent within the budget, and billed but for what died unseen. */
async function billFaults({ connection, witness, ledger, plan }: World): Promise<string[]> {
  const [bill] = await connection.query<{ spent_nusd: number; leased_nusd: number }>(
    'select spent_nusd, leased_nusd from gateway_budgets where name = $1',
    [BUDGET],
  )
  const [spent, leased] = [Number(bill?.spent_nusd), Number(bill?.leased_nusd)]
  const { consumed_nusd: consumed } = witness
  const { unseen_nusd: unseen } = ledger
  return [
    ...(consumed <= plan.budget_nusd + unseen
      ? []
      : [`${consumed} were consumed of a budget of ${plan.budget_nusd}, at most ${unseen} unseen`]),
    ...(spent <= consumed ? [] : [`${spent} were billed, ${consumed} were consumed`]),
    ...(spent >= consumed - unseen ? [] : [`${spent} were billed of ${consumed}, at most ${unseen} unseen`]),
    ...(unseen === 0 && leased !== 0 ? [`${leased} are leased by nobody`] : []),
  ]
}
