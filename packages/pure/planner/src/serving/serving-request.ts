// A serving spec as the planner's request, whoever found the models that it names: the command line by files, the console by what was pasted.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import { IronlawError, quantityOf } from '@ironlaw/contracts'
import type { ServeSpec } from '@ironlaw/contracts/serve-spec'
import { builtInModel } from '@ironlaw/models'
import { givenValue } from '@ironlaw/units'
import type { NamedModel } from '../training/request/training-request.ts'
import { answersInOnePass, onePassArchitecture } from './one-pass.ts'
import type { QualityRule, ServingPlanInputs } from './serving-inputs.ts'
import type { Speculation } from './mechanisms.ts'
import { ACCEPTANCES, predictionLayers } from './speculation.ts'

/** What of a spec decides a plan. */
export type PlannedServeSpec = Omit<ServeSpec, 'coldStart' | 'deploy'> & Partial<Pick<ServeSpec, 'coldStart' | 'deploy'>>

export type SpecModels = {
  /** How errors name the spec. */
  readonly file: string
  readonly model: NamedModel
  readonly modelNamed: (name: string) => NamedModel
}

export type ServingRequest = { readonly wanted: ServingPlanInputs; readonly warnings: readonly string[] }

export function servingRequest(catalog: Catalog, spec: PlannedServeSpec, models: SpecModels): ServingRequest {
  const { name, architecture: read, warnings } = models.model
  const refused = refusedField(spec, models.model)
  if (refused) throw new IronlawError('IL_SPEC', { file: models.file, ...refused })
  const architecture = answersInOnePass(read) ? onePassArchitecture(read) : read
  const { objectives, adapters } = spec
  const { daily: _, trace: __, ...traffic } = spec.traffic
  const longest = architecture.longestContext ?? Infinity
  const tokens = traffic.input_tokens + traffic.output_tokens
  return {
    warnings: [...warnings, ...(tokens > longest ? [`${tokens} tokens are more than the ${longest} the model was made for`] : [])],
    wanted: {
      name: spec.name,
      model: name,
      architecture,
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
      ...(spec.accelerators && { accelerators: spec.accelerators.map((each) => acceleratorOf(catalog, each).id) }),
      ...(spec.precisions && { precisions: spec.precisions }),
      ...(spec.quality && { quality: qualityRuleOf(spec.quality, name) }),
      ...(spec.price !== undefined && { price: givenValue(quantityOf(spec.price, 'USD/s'), 'USD/s') }),
      ...(spec.layout && { layout: spec.layout }),
      ...(adapters && { adapters: { activePerBatch: adapters.count, ...adapters } }),
      ...(spec.offload && { offload: offloadOf(spec.offload) }),
      ...(spec.speculation && { speculation: speculationOf(spec.speculation, models) }),
      ...(spec.deploy && { maxRunning: spec.deploy.max_running }),
    },
  }
}

type Refused = { readonly path: string; readonly problem: string }

function refusedField(spec: PlannedServeSpec, { name, architecture }: NamedModel): Refused | undefined {
  const { traffic, offload, disaggregated } = spec
  const { vocabulary, groups, modelType } = architecture
  if (answersInOnePass(architecture)) return refusedInOnePass(spec, `${name} (${modelType})`)
  if (vocabulary === 0 || !groups.some(({ stack }) => stack === 'decoder'))
    return { path: 'model', problem: `${name} (${modelType}) takes no text; the serving planner plans language models and encoders` }
  if (offload && disaggregated === 'only')
    return {
      path: 'offload',
      problem: 'tiers are planned for replicas that do prompts and tokens: allow both on one replica (disaggregated)',
    }
  if (offload && traffic.cachedPrompt === 0)
    return { path: 'offload', problem: 'no prompt comes back: set traffic.cachedPrompt, the share of its tokens that does' }
  return undefined
}

function refusedInOnePass({ traffic, speculation, offload, adapters }: PlannedServeSpec, model: string): Refused | undefined {
  if (traffic.output_tokens > 1) return { path: 'traffic.output_tokens', problem: `${model} answers in one pass: write 1, for its answer` }
  const unused = Object.entries({ speculation, offload, adapters }).find(([, value]) => value !== undefined)?.[0]
  return unused === undefined ? undefined : { path: unused, problem: `${model} decodes and caches nothing: leave it out` }
}

/** Built-in models go by one name, whichever of theirs was written. */
const qualityRuleOf = ({ model, ...rule }: NonNullable<ServeSpec['quality']>, planned: string): QualityRule => ({
  ...rule,
  model: model === undefined ? planned : (builtInModel(model)?.name ?? model),
})

const offloadOf = ({ host, drive, reuseAfter }: NonNullable<ServeSpec['offload']>): NonNullable<ServingPlanInputs['offload']> => ({
  host_bytes: quantityOf(host, 'B'),
  drive_bytes: drive === undefined ? 0 : quantityOf(drive, 'B'),
  reuseAfter_s: quantityOf(reuseAfter, 's'),
})

function speculationOf(spec: NonNullable<ServeSpec['speculation']>, { file, model: target, modelNamed }: SpecModels): Speculation {
  const refusal = (field: string, problem: string): IronlawError =>
    new IronlawError('IL_SPEC', { file, path: `speculation.${field}`, problem })
  const { method = 'mtp', model } = spec
  if (method === 'mtp' && predictionLayers(target.architecture) === 0)
    throw refusal('method', `${target.name} has no layers that predict further tokens (MTP): write eagle3, draft or ngram`)
  if ((method === 'draft') !== (model !== undefined))
    throw refusal('model', method === 'draft' ? 'name the model that drafts' : `method ${method} takes no model: leave it out`)
  const acceptance = spec.acceptance ?? ACCEPTANCES[method]?.acceptance
  if (acceptance === undefined)
    throw refusal('acceptance', `no share of kept tokens is published for ${method}: write the share of drafted tokens that is kept`)
  const draft = model === undefined ? undefined : draftFor(target, modelNamed(model))
  if (typeof draft === 'string') throw refusal('model', draft)
  return { method, drafted: spec.draftedTokens, acceptance, ...(draft && { draft }) }
}

/** A draft for a model, or why it is none. */
export function draftFor(
  target: Pick<NamedModel, 'name' | 'architecture'>,
  { name, architecture }: NamedModel,
): NonNullable<Speculation['draft']> | string {
  if (architecture.vocabulary === target.architecture.vocabulary) return { name, architecture }
  return `${name} has ${architecture.vocabulary} words, ${target.name} ${target.architecture.vocabulary}: a draft needs the same tokenizer`
}
