// The kinds of histories that there are, in one shape for callers that run many of them.

import type { Connection } from '../../packages/effects/control/test/simulated-database.ts'
import * as deployments from './deployments/history.ts'
import { planOf as deploymentPlan } from './deployments/plan.ts'
import { reducePlan, runHistory } from './history.ts'
import { planOf } from './plan.ts'

type Outcome = {
  readonly violations: readonly string[]
  readonly trace: readonly string[]
  readonly effects: number
  readonly simulated_s: number
  readonly events: ReadonlyMap<string, number>
}

export type Kind = {
  readonly lived: (seed: number, connection: Connection) => Promise<Outcome>
  /** Made smaller where it fails; with the plan that was left. */
  readonly replayed: (seed: number, connection: Connection, isTraced: boolean) => Promise<Outcome & { readonly plan: object }>
  /** Events worth a figure, with what people call them. */
  readonly figures: readonly (readonly [event: string, name: string])[]
}

export const KINDS = {
  runs: {
    lived: (seed, connection) => runHistory(planOf(seed), connection),
    replayed: async (seed, connection, isTraced) => {
      const whole = await runHistory(planOf(seed), connection)
      const plan = whole.violations.length > 0 ? await reducePlan(planOf(seed), connection) : planOf(seed)
      return { ...(await runHistory(plan, connection, { isTraced, name: `h${seed}-replayed` })), violations: whole.violations, plan }
    },
    figures: [
      ['run-created', 'runs'],
      ['run-succeeded', 'succeeded'],
      ['run-failed', 'failed'],
      ['run-cancelled', 'cancelled'],
      ['attempt-created', 'attempts'],
      ['attempt-abandoned', 'given up'],
    ],
  },
  deployments: {
    lived: (seed, connection) => deployments.runHistory(deploymentPlan(seed), connection),
    replayed: async (seed, connection, isTraced) => {
      const whole = await deployments.runHistory(deploymentPlan(seed), connection)
      const plan = whole.violations.length > 0 ? await deployments.reducePlan(deploymentPlan(seed), connection) : deploymentPlan(seed)
      return { ...(await deployments.runHistory(plan, connection, { isTraced })), violations: whole.violations, plan }
    },
    figures: [
      ['replica-created', 'replicas'],
      ['replica-serving', 'served'],
      ['revision-created', 'rollouts'],
      ['rollout-promoted', 'promoted'],
      ['rollout-rolled-back', 'rolled back'],
      ['replica-kept', 'kept'],
      ['rollout-returned', 'ways back'],
      ['request', 'requests'],
    ],
  },
} satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS
