// A history, run and checked.

import type { Connection } from '../../packages/effects/control/test/simulated-database.ts'
import { violations } from './checker.ts'
import type { Plan } from './plan.ts'
import { SOUND, type WorldOptions, World } from './world.ts'

export type HistoryResult = {
  readonly violations: readonly string[]
  readonly trace: readonly string[]
  readonly effects: number
  readonly simulated_s: number
  /** How often each kind of event is in the logs of its runs. */
  readonly events: ReadonlyMap<string, number>
}

export async function runHistory(plan: Plan, connection: Connection, telling: Partial<WorldOptions> = {}): Promise<HistoryResult> {
  const world = new World(plan, connection, { parts: SOUND, isTraced: false, name: `h${plan.seed}`, ...telling })
  await world.live()
  const found = await violations(world)
  const { database, runs, timeline, effectCount } = world
  const kinds = await database
    .selectFrom('events')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('count')])
    .where(
      'stream',
      'in',
      runs.map((run) => `run/${run}`),
    )
    .groupBy('kind')
    .execute()
  // Those that did not end would be leased in the next history.
  if (found.length > 0) {
    await database.deleteFrom('leases').where('run_id', 'in', runs).execute()
    await database.deleteFrom('releases').where('run_id', 'in', runs).execute()
  }
  return {
    violations: found,
    trace: timeline.trace,
    effects: effectCount,
    simulated_s: timeline.passed_s,
    events: new Map(kinds.map(({ kind, count }) => [kind, count])),
  }
}

/** The same failure with fewer faults and runs, by leaving out one at a time as long as something still breaks. */
export async function reducePlan(plan: Plan, connection: Connection, telling: Partial<WorldOptions> = {}): Promise<Plan> {
  let best = plan
  let tried = 0
  const isBroken = async (smaller: Plan): Promise<boolean> => {
    tried += 1
    return (
      (await runHistory(smaller, connection, { ...telling, name: `${telling.name ?? 'h'}-${plan.seed}-smaller-${tried}` })).violations
        .length > 0
    )
  }
  for (let index = plan.faults.length - 1; index >= 0; index -= 1) {
    const smaller = { ...best, faults: best.faults.toSpliced(index, 1) }
    if (await isBroken(smaller)) best = smaller
  }
  for (let runs = 1; runs < best.runs.length; runs += 1) {
    const smaller = { ...best, runs: best.runs.slice(0, runs) }
    if (await isBroken(smaller)) return smaller
  }
  return best
}
