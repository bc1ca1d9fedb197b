// Why a command is not started as its plan was priced. The command line and the console refuse in these words.

import { IronlawError } from '@ironlaw/contracts'

/** Where a person decides what a plan decides otherwise: the next step of a refusal names these fields of the spec. */
export const TRAINING_FIELDS = { decisions: '"strategy"' } as const

export const SERVING_FIELDS = { decisions: '"engine", "layout", "precisions", "cache", "speculation", "adapters" or "offload"' } as const

type PlannedCommand = { readonly inexact: readonly string[]; readonly impossible: readonly string[]; readonly repeated: readonly string[] }

type TrainingChoice = { readonly framework: string; readonly acceptsInexact: boolean }

/** Undefined where the plan runs as it was priced. */
export function trainingRefusal(planned: PlannedCommand, { framework, acceptsInexact }: TrainingChoice): IronlawError | undefined {
  const { repeated } = planned
  if (repeated.length > 0)
    return new IronlawError('IL_USAGE', {
      problem: `run.program sets ${repeated.join(', ')}, which the plan decides: leave it out, and set it under "strategy" if it is required`,
      command: 'apply',
    })
  return mismatch(planned, { acceptsInexact, values: { framework, choice: 'run.framework', ...TRAINING_FIELDS } })
}

type ServingChoice = { readonly engine: string; readonly acceptsInexact: boolean }

/** Undefined where the plan runs as it was priced. */
export function servingRefusal(planned: PlannedCommand, { engine, acceptsInexact }: ServingChoice): IronlawError | undefined {
  const { repeated } = planned
  if (repeated.length > 0)
    return new IronlawError('IL_USAGE', {
      problem: `deploy.program sets ${repeated.join(', ')}, which the plan decides: leave it out`,
      command: 'apply',
    })
  return mismatch(planned, { acceptsInexact, values: { framework: engine, choice: 'deploy.engine', ...SERVING_FIELDS } })
}

type Choice = {
  readonly acceptsInexact: boolean
  readonly values: { readonly framework: string; readonly choice: string; readonly decisions: string }
}

function mismatch({ impossible, inexact }: PlannedCommand, { acceptsInexact, values }: Choice): IronlawError | undefined {
  if (impossible.length > 0) return new IronlawError('IL_IMPOSSIBLE', { ...values, problems: impossible.join('; ') })
  if (inexact.length > 0 && !acceptsInexact) return new IronlawError('IL_INEXACT', { ...values, problems: inexact.join('; ') })
  return undefined
}
