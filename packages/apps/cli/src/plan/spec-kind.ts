// Determines the kind of spec in a file before loading code for that kind.

import { IronlawError, nearestNames } from '@ironlaw/contracts'
import { readDocument } from '../input-file.ts'

const SPEC_KINDS = ['Train', 'RL', 'Job', 'Data', 'Evaluate', 'Release', 'Sweep', 'Serve', 'Access', 'Teams'] as const
export type SpecKind = (typeof SPEC_KINDS)[number]

/** Rejects a file that is not a spec; a spec without a kind is treated as Train, whose schema reports the missing field. */
export function specKind(file: string): SpecKind {
  const document: unknown = readDocument(file)
  const { kind, plans }: { readonly kind?: unknown; readonly plans?: unknown } = Object(document)
  if (isPlan(kind) || (Array.isArray(plans) && isPlan(Object(plans[0]).kind)))
    throw new IronlawError(
      'IL_SPEC',
      { file, path: 'kind', problem: 'this is a plan, not a spec' },
      { next: 'give the spec that the plan was made from; "ironlaw plan diff" and "ironlaw simulate run" take plans' },
    )
  if (kind === undefined && isConfig(document))
    throw new IronlawError(
      'IL_SPEC',
      { file, path: 'kind', problem: 'this is the config.json of a model, not a spec' },
      { next: `plan it with "ironlaw plan --model ${file} --gpus 64 --on h100-sxm --tokens 300B", or name it under "model" in a spec` },
    )
  const known = SPEC_KINDS.find((each) => each === kind)
  if (known || kind === undefined) return known ?? 'Train'
  throw new IronlawError(
    'IL_SPEC',
    { file, path: 'kind', problem: `${JSON.stringify(kind)} is not a kind of spec` },
    { next: advice(kind) },
  )
}

/** As Hugging Face writes it. */
const isConfig = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'model_type' in document && !('apiVersion' in document)

const isPlan = (kind: unknown): boolean => kind === 'TrainingPlan' || kind === 'ServingPlan'

function advice(kind: unknown): string {
  const near = nearestNames(
    String(kind),
    SPEC_KINDS.map((name) => ({ name })),
  )
  return `${near[0] === undefined ? '' : `did you mean ${near[0]}? `}The kinds are ${SPEC_KINDS.join(', ')}; "ironlaw schema" describes each`
}

/** An evaluation asks an engine that is there; nothing has to be placed. */
export const evaluateRefusal = (file: string): IronlawError =>
  new IronlawError(
    'IL_USAGE',
    { problem: `${file} is an evaluation, which runs where you are`, command: 'apply' },
    { next: `run it with "ironlaw evaluate run ${file}"` },
  )

/** A release is judged by its evidence; what serves is a deployment. */
export const releaseRefusal = (file: string): IronlawError =>
  new IronlawError(
    'IL_USAGE',
    { problem: `${file} is a release, which is judged and not started`, command: 'apply' },
    { next: `judge it with "ironlaw release check ${file}"` },
  )

/** Nothing here starts engines and trainer as one run. */
export const rlRefusal = (file: string): IronlawError =>
  new IronlawError(
    'IL_USAGE',
    { problem: `${file} is an RL spec, which is planned and not run`, command: 'apply' },
    { next: `see its plan with "ironlaw plan ${file}", and run engines and trainer with your RL framework as a Job` },
  )
