// A history of a deployment, lived and checked.

import type { Connection } from '../../../packages/effects/control/test/simulated-database.ts'
import { violations } from './checker.ts'
import { SOUND } from './parts.ts'
import type { Plan } from './plan.ts'
import { type WorldOptions, World } from './world.ts'

export type HistoryResult = {
  readonly violations: readonly string[]
  readonly trace: readonly string[]
  readonly effects: number
  readonly simulated_s: number
  /** How often each kind of event is in the log. */
  readonly events: ReadonlyMap<string, number>
}

export async function runHistory(plan: Plan, connection: Connection, telling: Partial<WorldOptions> = {}): Promise<HistoryResult> {
  const world = new World(plan, connection, { parts: SOUND, isTraced: false, ...telling })
  await world.live()
  const found = await violations(world)
  const id = (await world.row())?.id ?? 'no deployment'
  const kinds = await world.connection.query<{ kind: string; count: number }>(
    'select kind, count(*) as count from events where stream = $1 group by kind',
    [`deployment/${id}`],
  )
  const { timeline, effectCount, witness } = world
  return {
    violations: found.map((violation) => violation.replaceAll(id, 'chat')),
    trace: timeline.trace.map((line) => line.replaceAll(id, 'chat')),
    effects: effectCount,
    simulated_s: timeline.passed_s,
    events: new Map([['request', witness.requests], ...kinds.map(({ kind, count }) => [kind, count] as const)]),
  }
}

/** The same failure with fewer faults and revisions, by leaving out one at a time as long as something still breaks. */
export async function reducePlan(plan: Plan, connection: Connection, telling: Partial<WorldOptions> = {}): Promise<Plan> {
  let best = plan
  const isBroken = async (smaller: Plan): Promise<boolean> => (await runHistory(smaller, connection, telling)).violations.length > 0
  for (let index = plan.faults.length - 1; index >= 0; index -= 1) {
    const smaller = { ...best, faults: best.faults.toSpliced(index, 1) }
    if (await isBroken(smaller)) best = smaller
  }
  for (let index = plan.revisions.length - 1; index >= 0; index -= 1) {
    const smaller = { ...best, revisions: best.revisions.toSpliced(index, 1) }
    if (await isBroken(smaller)) best = smaller
  }
  return best
}
