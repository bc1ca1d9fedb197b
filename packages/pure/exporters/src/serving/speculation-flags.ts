// Speculative decoding as each engine is told of it: vLLM's docs/features/spec_decode.md, SGLang's docs.sglang.io, speculative decoding,
// TensorRT-LLM's docs/source/features/speculative-decoding.md. Heads of EAGLE are checkpoints of their own, whose name no plan has.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'
import { shellWord, warningIf } from '../exported.ts'
import { folderOf } from './weights.ts'

type Speculation = NonNullable<ServingPlan['speculation']>

/**
 * Replicas for prompts draft nothing, but what drafts has keys and values of the prompt that must come with the model's: both sides are told
 * (sgl-project/sglang issue 6684). N-grams have none.
 */
const speculationOf = ({ speculation }: ServingPlan, { role }: ServingPool): Speculation | undefined =>
  role === 'prefill' && speculation?.method === 'ngram' ? undefined : speculation

const draftOf = ({ model = '' }: Speculation): string => folderOf(model)

const HEAD = 'HEAD'

/** Engines look for n-grams of up to so many tokens: vLLM's example. */
const NGRAM = 4

export function vllmSpeculation(plan: ServingPlan, pool: ServingPool): readonly string[] {
  const speculation = speculationOf(plan, pool)
  if (!speculation) return []
  const { method, drafted } = speculation
  const config = {
    method: method === 'draft' ? 'draft_model' : method,
    ...(method === 'draft' && { model: draftOf(speculation) }),
    ...(isHead(speculation) && { model: HEAD }),
    num_speculative_tokens: drafted,
    ...(method === 'ngram' && { prompt_lookup_max: NGRAM }),
  }
  return [`--speculative-config ${shellWord(JSON.stringify(config))}`]
}

export function sglangSpeculation(plan: ServingPlan, pool: ServingPool): readonly string[] {
  const speculation = speculationOf(plan, pool)
  if (!speculation) return []
  const { method, drafted } = speculation
  const algorithm = { mtp: 'EAGLE', eagle: 'EAGLE', eagle3: 'EAGLE3', draft: 'STANDALONE', ngram: 'NGRAM' }[method]
  return [
    `--speculative-algorithm ${algorithm}`,
    ...(method === 'draft' ? [`--speculative-draft-model-path ${shellWord(draftOf(speculation))}`] : []),
    ...(isHead(speculation) ? [`--speculative-draft-model-path ${HEAD}`] : []),
    ...(method === 'ngram' ? [] : [`--speculative-num-steps ${drafted}`, '--speculative-eagle-topk 1']),
    `--speculative-num-draft-tokens ${drafted + 1}`,
  ]
}

/** A line of the options of the LLM API. */
export function tensorrtSpeculation(plan: ServingPlan, pool: ServingPool): readonly string[] {
  const speculation = speculationOf(plan, pool)
  if (!speculation) return []
  const { method, drafted } = speculation
  const config = {
    mtp: `decoding_type: MTP, num_nextn_predict_layers: ${drafted}`,
    eagle: `decoding_type: Eagle, max_draft_len: ${drafted}, speculative_model_dir: ${HEAD}`,
    eagle3: `decoding_type: Eagle3, max_draft_len: ${drafted}, speculative_model_dir: ${HEAD}`,
    draft: `decoding_type: DraftTarget, max_draft_len: ${drafted}, speculative_model_dir: ${JSON.stringify(draftOf(speculation))}`,
    ngram: `decoding_type: NGram, max_draft_len: ${drafted}, max_matching_ngram_size: ${NGRAM}`,
  }[method]
  return [`speculative_config: { ${config} }`]
}

const isHead = ({ method }: Speculation): boolean => method === 'eagle' || method === 'eagle3'

/** What must be so of the files. */
export const speculationRequirements = ({ speculation, model }: ServingPlan): readonly string[] =>
  warningIf(
    speculation !== undefined && isHead(speculation),
    `${HEAD} stands for a checkpoint of ${speculation?.method === 'eagle' ? 'an EAGLE' : 'an EAGLE-3'} head for ${model.name}`,
  )

/** Layers of the model itself can propose only where it has them. */
export const speculationProblems = ({ speculation, model }: ServingPlan): readonly string[] =>
  warningIf(
    speculation?.method === 'mtp' && model.predictionLayers === 0,
    `${model.name} has no layers that predict further tokens (MTP): plan with speculation.method eagle3, draft or ngram`,
  )
