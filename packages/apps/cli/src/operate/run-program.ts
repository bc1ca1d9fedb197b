// The program that `ironlaw apply` asks for: the spec's command with the plan's decisions behind it, or why that is not the plan.

import { resolve } from 'node:path'
import { IronlawError, type TrainingPlan } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { plannedProgram } from '@ironlaw/exporters'
import { BY_TRAINING } from '../decided-by.ts'

type Asked = { readonly run: NonNullable<TrainSpec['run']>; readonly directory: string; readonly acceptsInexact: boolean }

export function programOf(plan: TrainingPlan, { run, directory, acceptsInexact }: Asked): CreateRun['program'] {
  const { framework, program, smaller } = run
  const made = plannedProgram(plan, { framework, program, smaller })
  if (made.repeated.length > 0)
    throw new IronlawError('IL_USAGE', {
      problem: `run.program sets ${made.repeated.join(', ')}, which the plan decides: leave it out, and decide it under "strategy" where it must be so`,
      command: 'apply',
    })
  const refused = (problems: readonly string[]) => ({ framework, problems: problems.join('; '), choice: 'run.framework', ...BY_TRAINING })
  if (made.impossible.length > 0) throw new IronlawError('IL_IMPOSSIBLE', refused(made.impossible))
  if (made.inexact.length > 0 && !acceptsInexact) throw new IronlawError('IL_INEXACT', refused(made.inexact))
  return {
    argv: [...made.argv],
    directory: resolve(directory, run.directory),
    environment: { ...made.environment, ...run.environment },
    ...(Object.keys(made.files).length > 0 && { files: made.files }),
  }
}
