// The command of a replica that `ironlaw apply` asks for: the spec's, with the plan's decisions behind it, or why that is not the plan.

import { IronlawError, type ServingPlan } from '@ironlaw/contracts'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import { plannedEngine } from '@ironlaw/exporters'
import { BY_SERVING } from '../decided-by.ts'

export type EngineCommand = {
  readonly argv: string[]
  /** What the model's files must be for the plan to hold. */
  readonly requires: readonly string[]
}

export function engineCommand(plan: ServingPlan, deploy: NonNullable<ServeSpec['deploy']>, acceptsInexact: boolean): EngineCommand {
  const { engine, program } = deploy
  const [pool] = plan.pools
  if (engine === undefined || !pool) return { argv: program, requires: [] }
  const made = plannedEngine(plan, { engine, program, pool })
  if (made.repeated.length > 0)
    throw new IronlawError('IL_USAGE', {
      problem: `deploy.program sets ${made.repeated.join(', ')}, which the plan decides: leave it out`,
      command: 'apply',
    })
  const refused = (problems: readonly string[]) => ({
    framework: engine,
    problems: problems.join('; '),
    choice: 'deploy.engine',
    ...BY_SERVING,
  })
  if (made.impossible.length > 0) throw new IronlawError('IL_IMPOSSIBLE', refused(made.impossible))
  if (made.inexact.length > 0 && !acceptsInexact) throw new IronlawError('IL_INEXACT', refused(made.inexact))
  return { argv: [...made.argv], requires: made.requires }
}
