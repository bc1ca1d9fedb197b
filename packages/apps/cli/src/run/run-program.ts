// The program that `ironlaw apply` submits: the spec's command with the plan's arguments appended, or why it does not match the plan.

import { resolve } from 'node:path'
import type { TrainingPlan } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { plannedProgram, trainingRefusal } from '@ironlaw/exporters'

type ProgramInputs = { readonly run: NonNullable<TrainSpec['run']>; readonly directory: string; readonly acceptsInexact: boolean }

export function runProgram(plan: TrainingPlan, { run, directory, acceptsInexact }: ProgramInputs): CreateRun['program'] {
  const { framework, program, smaller } = run
  const made = plannedProgram(plan, { framework, program, smaller })
  const refusal = trainingRefusal(made, { framework, acceptsInexact })
  if (refusal) throw refusal
  return {
    argv: [...made.argv],
    directory: resolve(directory, run.directory),
    environment: { ...made.environment, ...run.environment },
    ...(run.secrets && { secrets: run.secrets }),
    ...(Object.keys(made.files).length > 0 && { files: made.files }),
  }
}
