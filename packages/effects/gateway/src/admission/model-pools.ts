// The pools of one model: those that serve, and those of a revision on trial.

import type { ModelEntry } from '@ironlaw/contracts/gateway-snapshot'
import { weightedChoice } from '@ironlaw/policies/serving'
import type { Pool } from './pool.ts'

type Targets = ModelEntry['targets']

export type ModelPools = { readonly serving: readonly Pool[]; readonly trials: readonly Pool[] }

/** Where nothing else serves, what is on trial serves. */
const servingTargets = (targets: Targets): Targets =>
  targets.some(({ trial }) => !trial) ? targets.filter(({ trial }) => !trial) : targets

export function modelPools(targets: Targets, pools: ReadonlyMap<string, Pool>): ModelPools {
  const serving = servingTargets(targets)
  const present = (some: Targets): readonly Pool[] => some.flatMap(({ pool }) => pools.get(pool) ?? [])
  return { serving: present(serving), trials: present(targets.filter((target) => !serving.includes(target))) }
}

/** The name of the pool for a request, by the weights of all targets or of those that serve. `side` is uniform in [0, 1). */
export function chosenPool(
  targets: Targets,
  { from, side }: { readonly from: 'all' | 'serving'; readonly side: number },
): string | undefined {
  const among = from === 'all' ? targets : servingTargets(targets)
  const index = weightedChoice(
    among.map(({ weight }) => weight),
    side,
  )
  // What serves may have no weight of its own while a trial gets everything.
  return among[from === 'all' ? index : Math.max(0, index)]?.pool
}

/**
 * Where to send a request whose place is in `home`, in order of preference. It goes to a trial once. After a failure another revision is tried
 * first, which distinguishes a bad revision from a bad request.
 */
export function candidatePools(
  { serving, trials }: ModelPools,
  home: Pool,
  past: { readonly wasOnTrial: boolean; readonly suspects: readonly unknown[] },
): readonly Pool[] {
  if (trials.includes(home)) return past.wasOnTrial ? [...serving, home] : [home]
  const others = serving.filter((pool) => pool !== home)
  if (past.wasOnTrial) return [home, ...others]
  return past.suspects.length > 0 ? [...others, ...trials, home] : [home, ...others, ...trials]
}
