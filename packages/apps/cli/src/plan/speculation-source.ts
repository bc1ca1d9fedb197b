// Speculation as a plan states it, with the model that drafts.

import { IronlawError, type ServingPlan } from '@ironlaw/contracts'
import { draftFor, type NamedModel, type Speculation } from '@ironlaw/planner'
import { modelFrom } from '../model/model-source.ts'

export function plannedSpeculation(
  { model, ...speculation }: NonNullable<ServingPlan['speculation']>,
  target: Pick<NamedModel, 'name' | 'architecture'>,
): Speculation {
  if (model === undefined) return speculation
  const draft = draftFor(target, modelFrom(model))
  if (typeof draft === 'string') throw new IronlawError('IL_USAGE', { problem: draft, command: 'simulate serve' })
  return { ...speculation, draft }
}
