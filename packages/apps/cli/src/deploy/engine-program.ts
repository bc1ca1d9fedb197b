// The command of a replica that `ironlaw apply` asks for: the spec's, with the plan's decisions behind it, or why that is not the plan.

import { IronlawError, type ServingPlan } from '@ironlaw/contracts'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import { plannedEngine } from '@ironlaw/exporters'

export function engineCommand(plan: ServingPlan, deploy: NonNullable<ServeSpec['deploy']>, acceptsInexact: boolean): string[] {
  const { engine, program } = deploy
  const [pool] = plan.pools
  if (engine === undefined || !pool) return program
  const made = plannedEngine(plan, { engine, program, pool })
  if (made.repeated.length > 0)
    throw new IronlawError('IL_USAGE', {
      problem: `deploy.program sets ${made.repeated.join(', ')}, which the plan decides: leave it out`,
      command: 'apply',
    })
  if (made.impossible.length > 0) throw new IronlawError('IL_IMPOSSIBLE', { framework: engine, problems: made.impossible.join('; ') })
  if (made.inexact.length > 0 && !acceptsInexact)
    throw new IronlawError('IL_INEXACT', { framework: engine, problems: made.inexact.join('; ') })
  return [...made.argv]
}
