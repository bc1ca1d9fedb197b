// A question of the page as the equivalent spec, and the planner's request for it.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import { IronlawError, quantityOf } from '@ironlaw/contracts'
import { ACCEPTANCES, type NamedModel, predictionLayers, type ServingPlanInputs, type Speculation } from '@ironlaw/planner'
import { givenValue } from '@ironlaw/units'
import { findDecoder } from '../decoders.ts'
import { MAX_RUNNING } from '../launch/deployment-request.ts'
import { withRest } from '../specs/spec-rest.ts'
import type { ServingQuestion } from './question.ts'
import { type PlannedServeSpec, writtenServeSpec } from './written-spec.ts'

export const serveSpecFor = (question: ServingQuestion): PlannedServeSpec => withRest(writtenServeSpec(question), question.rest)

export function servingRequestFor(catalog: Catalog, question: ServingQuestion): ServingPlanInputs {
  const spec = serveSpecFor(question)
  const model = findDecoder(question)
  const { daily: _, trace: __, ...traffic } = spec.traffic
  const { objectives, adapters, offload, speculation } = spec
  return {
    name: spec.name,
    model: model.name,
    architecture: model.architecture,
    traffic,
    objectives: {
      ttft_s: quantityOf(objectives.ttft, 's'),
      tpot_s: quantityOf(objectives.tpot, 's'),
      percentile: objectives.percentile,
      probability: objectives.probability,
    },
    engine: spec.engine,
    cache: spec.cache,
    spare: spec.spare,
    goal: spec.goal,
    disaggregated: spec.disaggregated,
    // What is planned here is what the page deploys.
    maxRunning: MAX_RUNNING,
    ...(spec.accelerators && { accelerators: spec.accelerators.map((each) => acceleratorOf(catalog, each).id) }),
    ...(spec.precisions && { precisions: spec.precisions }),
    ...(spec.price !== undefined && { price: givenValue(quantityOf(spec.price, 'USD/s'), 'USD/s') }),
    ...(spec.layout && { layout: spec.layout }),
    ...(adapters && { adapters: { activePerBatch: adapters.count, ...adapters } }),
    ...(offload && { offload: offloadFrom(spec, offload) }),
    ...(speculation && { speculation: speculationFrom(speculation, model) }),
  }
}

const refusal = (path: string, problem: string): IronlawError => new IronlawError('IL_SPEC', { file: 'the question', path, problem })

function offloadFrom(
  { disaggregated, traffic }: PlannedServeSpec,
  { host, drive, reuseAfter }: NonNullable<PlannedServeSpec['offload']>,
): NonNullable<ServingPlanInputs['offload']> {
  if (disaggregated === 'only')
    throw refusal('offload', 'tiers are planned for replicas that do prompts and tokens; allow prompts on the same replicas')
  if (traffic.cachedPrompt === 0) throw refusal('offload', 'no prompt comes back; set the share of prompt tokens that are cached')
  return {
    host_bytes: quantityOf(host, 'B'),
    drive_bytes: drive === undefined ? 0 : quantityOf(drive, 'B'),
    reuseAfter_s: quantityOf(reuseAfter, 's'),
  }
}

function speculationFrom(
  { method = 'mtp', model, draftedTokens, ...spec }: NonNullable<PlannedServeSpec['speculation']>,
  target: NamedModel,
): Speculation {
  if (method === 'mtp' && predictionLayers(target.architecture) === 0)
    throw refusal('speculation', `${target.name} has no layers that predict further tokens (MTP); choose eagle3, draft or ngram`)
  if (method === 'draft' && model === undefined) throw refusal('speculation', 'choose the model that drafts')
  const acceptance = spec.acceptance ?? ACCEPTANCES[method]?.acceptance
  if (acceptance === undefined) throw refusal('speculation', `no share of kept tokens is published for ${method}; set it`)
  const draft = method === 'draft' && model !== undefined ? draftModel(model, target) : undefined
  return { method, drafted: draftedTokens, acceptance, ...(draft && { draft }) }
}

function draftModel(model: string, target: NamedModel): NonNullable<Speculation['draft']> {
  const { name, architecture } = findDecoder({ model, config: '' })
  if (architecture.vocabulary !== target.architecture.vocabulary)
    throw refusal(
      'speculation',
      `${name} has ${architecture.vocabulary} words, ${target.name} ${target.architecture.vocabulary}: a draft needs the same tokenizer`,
    )
  return { name, architecture }
}
