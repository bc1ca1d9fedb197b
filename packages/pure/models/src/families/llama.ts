// Decoders in the manner of Llama: RMSNorm, rotary positions, gated MLP or experts. One row per model_type says what
// differs; defaults are those of the reference classes, which matter because a config.json omits values equal to them.

import type { Attention, Layer, Mask, Mlp, Norm } from '../architecture.ts'
import { attention, CAUSAL, gatedMlp, layerNorm, mixture, plainMlp, rmsNorm } from '../blocks.ts'
import type { FieldReader } from '../field-reader.ts'
import { languageModel } from '../language-model.ts'
import { type Dimensions, dimensions } from './dimensions.ts'
import { expertCounts } from './expert-counts.ts'
import type { Importer } from './importer.ts'

type Row = {
  readonly tied: boolean
  /** Bias of the query, key and value projections: fixed, or by the field of this name. */
  readonly qkvBias: boolean | string
  readonly outputBias: boolean | string
  readonly qkNorm: Attention['qkNorm']
  readonly mlpBias: boolean | string
  readonly gated: boolean
  readonly norm: 'rms' | 'layer'
  readonly norms: 'before' | 'after' | 'both'
  /** Names of the fields with the number of experts and their inner width; absent: every layer is dense. */
  readonly experts?: { readonly count: string; readonly inner: string; readonly sharedInner?: string; readonly sharedGate?: boolean }
  readonly windows: 'none' | 'all' | 'beyond-max-window-layers' | { readonly everyFull: number; readonly size: number }
  readonly headBias?: string
  /** Width of a head when the config gives none; the model's width over its heads otherwise. */
  readonly headWidth?: number
}

const LLAMA: Row = {
  tied: false,
  qkvBias: 'attention_bias',
  outputBias: 'attention_bias',
  qkNorm: 'none',
  mlpBias: 'mlp_bias',
  gated: true,
  norm: 'rms',
  norms: 'before',
  windows: 'none',
}
const UNBIASED: Row = { ...LLAMA, qkvBias: false, outputBias: false, mlpBias: false }
const QWEN2: Row = { ...UNBIASED, qkvBias: true, windows: 'beyond-max-window-layers' }
/** The sparse class derives the width of a head where its dense sibling has a default. */
const QWEN3_SPARSE: Row = { ...LLAMA, mlpBias: false, qkNorm: 'head', windows: 'beyond-max-window-layers' }
const QWEN3: Row = { ...QWEN3_SPARSE, headWidth: 128 }

const ROWS = {
  llama: LLAMA,
  granite: LLAMA,
  smollm3: { ...LLAMA, tied: true },
  mistral: { ...UNBIASED, windows: { everyFull: 0, size: 4096 } },
  mixtral: { ...UNBIASED, windows: 'all', experts: { count: 'num_local_experts', inner: 'intermediate_size' } },
  qwen2: QWEN2,
  qwen2_moe: {
    ...QWEN2,
    experts: { count: 'num_experts', inner: 'moe_intermediate_size', sharedInner: 'shared_expert_intermediate_size', sharedGate: true },
  },
  qwen3: QWEN3,
  qwen3_vl_text: QWEN3,
  qwen3_vl_moe_text: { ...QWEN3_SPARSE, experts: { count: 'num_experts', inner: 'moe_intermediate_size' } },
  qwen3_moe: { ...QWEN3_SPARSE, experts: { count: 'num_experts', inner: 'moe_intermediate_size' } },
  gemma: { ...UNBIASED, qkvBias: 'attention_bias', outputBias: 'attention_bias', tied: true, headWidth: 256 },
  gemma2: { ...LLAMA, mlpBias: false, tied: true, norms: 'both', windows: { everyFull: 2, size: 4096 }, headWidth: 256 },
  gemma3_text: {
    ...LLAMA,
    mlpBias: false,
    tied: true,
    norms: 'both',
    qkNorm: 'head',
    windows: { everyFull: 6, size: 4096 },
    headWidth: 256,
  },
  olmo2: { ...LLAMA, mlpBias: false, norms: 'after', qkNorm: 'full' },
  phi3: { ...UNBIASED, windows: 'all' },
  phimoe: {
    ...LLAMA,
    norm: 'layer',
    headBias: 'lm_head_bias',
    windows: 'all',
    experts: { count: 'num_local_experts', inner: 'intermediate_size' },
  },
  starcoder2: {
    ...LLAMA,
    tied: true,
    norm: 'layer',
    gated: false,
    qkvBias: 'use_bias',
    outputBias: 'use_bias',
    mlpBias: 'use_bias',
    windows: 'all',
  },
} as const satisfies Record<string, Row>

export const LLAMA_LIKE: readonly string[] = Object.keys(ROWS)

const rowOf = (modelType: string): Row => (Object.hasOwn(ROWS, modelType) ? ROWS[modelType as keyof typeof ROWS] : LLAMA)

export const llamaLike: Importer = (config, modelType) => {
  const row = rowOf(modelType)
  const size = dimensions(row.headWidth === undefined ? config : config.withDefaults({ head_dim: row.headWidth }))
  const windowed = windowRule(config, row, size.layers)
  const sparse = row.experts ? sparseLayers(config) : () => false
  const norm = (name: string): Norm => (row.norm === 'rms' ? rmsNorm(name, size.width) : layerNorm(name, size.width))
  const kindOf = (index: number): string => {
    if (windowed.at(index)) return sparse(index) ? 'sliding sparse' : 'sliding dense'
    return sparse(index) ? 'causal sparse' : 'causal dense'
  }
  return languageModel({
    ...size,
    modelType,
    kindOf,
    block: (kind) =>
      block(row.norms, norm, [
        mixer({ config, row, size, mask: kind.startsWith('sliding') ? windowed.mask : CAUSAL }),
        kind.endsWith('sparse') ? experts(config, row, size) : denseMlp(config, row, size),
      ]),
    tied: config.flag('tie_word_embeddings', row.tied),
    headBias: row.headBias !== undefined && config.flag(row.headBias, false),
    finalNorm: norm('final_norm'),
  })
}

function block(norms: Row['norms'], norm: (name: string) => Norm, [first, second]: readonly [Layer, Layer]): readonly Layer[] {
  switch (norms) {
    case 'before':
      return [norm('input_norm'), first, norm('mlp_norm'), second]
    case 'after':
      return [first, norm('attention_output_norm'), second, norm('mlp_output_norm')]
    case 'both':
      return [norm('input_norm'), first, norm('attention_output_norm'), norm('mlp_norm'), second, norm('mlp_output_norm')]
  }
}

const hasBias = (config: FieldReader, rule: boolean | string, byDefault = false): boolean =>
  typeof rule === 'boolean' ? rule : config.flag(rule, byDefault)

type Mixer = { readonly config: FieldReader; readonly row: Row; readonly size: Dimensions; readonly mask: Mask }

function mixer({ config, row, size, mask }: Mixer): Attention {
  const byDefault = row.qkvBias === 'use_bias'
  const { width, heads, kvHeads, headWidth } = size
  return attention({
    width,
    heads,
    kvHeads,
    headWidth,
    mask,
    qkNorm: row.qkNorm,
    bias: { qkv: hasBias(config, row.qkvBias, byDefault), output: hasBias(config, row.outputBias, byDefault) },
  })
}

function denseMlp(config: FieldReader, row: Row, { width }: Dimensions): Mlp {
  const inner = config.count('intermediate_size')
  const bias = hasBias(config, row.mlpBias, row.mlpBias === 'use_bias')
  return row.gated ? gatedMlp({ width, inner, bias }) : plainMlp({ width, inner, bias })
}

function experts(config: FieldReader, row: Row, { width }: Dimensions): Layer {
  const names = row.experts ?? { count: 'num_experts', inner: 'moe_intermediate_size' }
  const counts = expertCounts(config, { experts: names.count, active: 'num_experts_per_tok' }, { active: 2 })
  const sharedInner = names.sharedInner === undefined ? 0 : config.size(names.sharedInner, 0)
  return mixture({
    width,
    ...counts,
    inner: config.count(names.inner),
    sharedInner,
    sharedGate: sharedInner > 0 && names.sharedGate === true,
  })
}

/** Every `decoder_sparse_step`-th layer has experts, except those listed as dense. */
function sparseLayers(config: FieldReader): (index: number) => boolean {
  const step = config.count('decoder_sparse_step', 1)
  const dense = config.indices('mlp_only_layers')
  return (index) => (index + 1) % step === 0 && !dense.includes(index)
}

type WindowRule = { readonly mask: Mask; readonly at: (index: number) => boolean }

const NO_WINDOWS: WindowRule = { mask: CAUSAL, at: () => false }

/** Which layers look back through a window only, and its mask. */
function windowRule(config: FieldReader, { windows }: Row, layers: number): WindowRule {
  if (windows === 'none' || config.isNull('sliding_window')) return NO_WINDOWS
  if (windows === 'beyond-max-window-layers' && !config.flag('use_sliding_window', false)) return NO_WINDOWS
  const { size, everyFull } = typeof windows === 'object' ? windows : { size: undefined, everyFull: 0 }
  if (size === undefined && !config.has('sliding_window')) return NO_WINDOWS
  const mask: Mask = { kind: 'sliding', window: config.count('sliding_window', size) }
  const types = config.texts('layer_types')
  if (types) {
    if (types.length !== layers) config.refuse('layer_types', `lists ${types.length} layers where there are ${layers}`)
    return { mask, at: (index) => types[index] === 'sliding_attention' }
  }
  if (windows === 'beyond-max-window-layers') {
    const first = config.size('max_window_layers', layers)
    return { mask, at: (index) => index >= first }
  }
  const period = typeof windows === 'object' ? config.size('sliding_window_pattern', everyFull) : 0
  return { mask, at: (index) => period === 0 || (index + 1) % period !== 0 }
}
