// Speculation as a spec or a plan states it, with the model that drafts.

import { IronlawError, type ServingPlan } from '@ironlaw/contracts'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import { ACCEPTANCES, type NamedModel, predictionLayers, type Speculation } from '@ironlaw/planner'
import { modelFrom } from '../model/model-source.ts'

const refusal = (field: string, problem: string): IronlawError =>
  new IronlawError('IL_USAGE', { problem: `speculation.${field}: ${problem}`, command: 'plan' })

/** `from` is the directory of the spec. */
export function speculationFrom(spec: NonNullable<ServeSpec['speculation']>, target: NamedModel, from: string): Speculation {
  const has = predictionLayers(target.architecture) > 0
  const method = spec.method ?? 'mtp'
  if (method === 'mtp' && !has)
    throw refusal('method', `${target.name} has no layers that predict further tokens (MTP): write eagle3, draft or ngram`)
  if ((method === 'draft') !== (spec.model !== undefined))
    throw refusal('model', method === 'draft' ? 'name the model that proposes tokens' : `method ${method} takes no model: leave it out`)
  const acceptance = spec.acceptance ?? ACCEPTANCES[method]?.acceptance
  if (acceptance === undefined) throw refusal('acceptance', `no figure is known for ${method}: write the share that is kept`)
  const draft = spec.model === undefined ? undefined : draftModel(spec.model, target, from)
  return { method, drafted: spec.draftedTokens, acceptance, ...(draft && { draft }) }
}

function draftModel(named: string, target: NamedModel, from?: string): NonNullable<Speculation['draft']> {
  const { name, architecture } = modelFrom(named, from)
  if (architecture.vocabulary !== target.architecture.vocabulary)
    throw refusal(
      'model',
      `${name} has ${architecture.vocabulary} words, ${target.name} ${target.architecture.vocabulary}: a draft needs the same tokenizer`,
    )
  return { name, architecture }
}

/** Of a plan, whose draft is named. */
export function plannedSpeculation(
  planned: NonNullable<ServingPlan['speculation']>,
  target: Pick<NamedModel, 'name' | 'architecture'>,
): Speculation {
  const { model, ...speculation } = planned
  return { ...speculation, ...(model !== undefined && { draft: draftModel(model, { ...target, warnings: [] }) }) }
}
