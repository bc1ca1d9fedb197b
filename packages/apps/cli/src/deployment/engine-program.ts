// The command of a replica that `ironlaw apply` submits: the spec's command with the plan's flags appended, or why it cannot match.

import type { ServingPlan } from '@ironlaw/contracts'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import { plannedEngine, servingRefusal } from '@ironlaw/exporters'

export type EngineCommand = {
  readonly argv: string[]
  /** What the model's files must be for the plan to be valid. */
  readonly requires: readonly string[]
}

export function engineCommand(plan: ServingPlan, deploy: NonNullable<ServeSpec['deploy']>, acceptsInexact: boolean): EngineCommand {
  const { engine, program } = deploy
  const [pool] = plan.pools
  if (engine === undefined || !pool) return { argv: program, requires: [] }
  const made = plannedEngine(plan, { engine, program, pool })
  const refusal = servingRefusal(made, { engine, acceptsInexact })
  if (refusal) throw refusal
  return { argv: [...made.argv], requires: made.requires }
}
