// From a parsed Hugging Face config.json to the architecture. Reading the file is the caller's business.

import type { Architecture } from './architecture.ts'
import { mobilenetV2, resnet } from './families/convolutional.ts'
import { deepseek, glm4Moe } from './families/deepseek.ts'
import { dlrm } from './families/dlrm.ts'
import { bert, t5, vit } from './families/encoders.ts'
import { gemma3, gemma3Text } from './families/gemma3.ts'
import { bloom, falcon, gpt2, gptNeox, opt, phi } from './families/gpt.ts'
import { gptOss } from './families/gpt-oss.ts'
import type { Importer } from './families/importer.ts'
import { LLAMA_LIKE, llamaLike } from './families/llama.ts'
import { llama4, llama4Text } from './families/llama4.ts'
import { qwenHybrid, qwenHybridWithVision } from './families/qwen-hybrid.ts'
import { bamba, graniteHybrid, jamba, mamba, mamba2, nemotronHybrid } from './families/state-space.ts'
import { unknownFamily } from './families/unknown.ts'
import { FieldReader, isRecord } from './field-reader.ts'

export type ImportedModel =
  | { readonly ok: true; readonly architecture: Architecture; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly field: string; readonly problem: string }

const IMPORTERS: Readonly<Record<string, Importer>> = {
  ...Object.fromEntries(LLAMA_LIKE.map((modelType) => [modelType, llamaLike])),
  gpt2,
  gpt_bigcode: gpt2,
  opt,
  bloom,
  gpt_neox: gptNeox,
  phi,
  falcon,
  RefinedWeb: falcon,
  RefinedWebModel: falcon,
  llama4,
  llama4_text: llama4Text,
  gemma3,
  gemma3_text: gemma3Text,
  deepseek_v2: deepseek,
  deepseek_v3: deepseek,
  kimi_k2: deepseek,
  glm4_moe: glm4Moe,
  qwen3_next: qwenHybrid,
  qwen3_5: qwenHybridWithVision,
  qwen3_5_text: qwenHybrid,
  qwen3_5_moe: qwenHybridWithVision,
  qwen3_5_moe_text: qwenHybrid,
  gpt_oss: gptOss,
  mamba,
  mamba2,
  jamba,
  bamba,
  granitemoehybrid: graniteHybrid,
  nemotron_h: nemotronHybrid,
  bert,
  roberta: bert,
  'xlm-roberta': bert,
  distilbert: bert,
  t5,
  mt5: t5,
  vit,
  resnet,
  mobilenet_v2: mobilenetV2,
  dlrm,
}

/** The `model_type` values that are read exactly; any other is read as a Llama-like decoder with warnings. */
export const MODEL_TYPES: readonly string[] = Object.keys(IMPORTERS)

export function importConfig(config: unknown): ImportedModel {
  if (!isRecord(config)) return { ok: false, field: '', problem: 'expected an object, as in a config.json' }
  const reader = new FieldReader(config)
  const modelType = reader.text('model_type')
  const architecture = reader.problem ? undefined : importerOf(modelType, reader)(reader, modelType)
  if (reader.problem || !architecture) return { ok: false, ...(reader.problem ?? { field: '', problem: 'nothing could be read' }) }
  return { ok: true, architecture, warnings: reader.warnings }
}

function importerOf(modelType: string, config: FieldReader): Importer {
  const exact = Object.hasOwn(IMPORTERS, modelType) ? IMPORTERS[modelType] : undefined
  if (exact) return exact
  return config.has('text_config') && !config.has('hidden_size') ? textModelOnly : unknownFamily
}

/** A wrapper we do not know around a language model that we may know. */
const textModelOnly: Importer = (config, modelType) => {
  const text = config.child('text_config')
  config.warn(`model_type "${modelType}" is unknown; only the language model inside it was read`)
  const inner = text.text('model_type', modelType)
  const importer = Object.hasOwn(IMPORTERS, inner) ? IMPORTERS[inner] : undefined
  return (importer ?? unknownFamily)(text, inner)
}
