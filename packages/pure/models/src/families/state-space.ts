// State-space models (Mamba, Mamba-2) and hybrids of them with attention: Jamba, Bamba, Granite 4, Nemotron-H and Nemotron 3.

import type { Layer, StateSpace } from '../architecture.ts'
import { attention, gatedMlp, mixture, plainMlp, preNormBlock, rmsNorm } from '../blocks.ts'
import type { FieldReader } from '../field-reader.ts'
import { languageModel } from '../language-model.ts'
import { dimensions } from './dimensions.ts'
import { expertCounts } from './expert-counts.ts'
import type { Importer } from './importer.ts'

const rankOf = (config: FieldReader, names: readonly string[], width: number): number => {
  const automatic = Math.ceil(width / 16)
  return names.some((name) => config.is(name, 'auto')) ? automatic : config.count(names, automatic)
}

/** Attention fields are absent from a pure state-space config; only its width, layers and vocabulary matter. */
const withoutHeads = (config: FieldReader): FieldReader => config.with({ num_attention_heads: 1, num_key_value_heads: 1, head_dim: 1 })

export const mamba: Importer = (config, modelType) => {
  const size = dimensions(withoutHeads(config))
  const { width } = size
  const mixer: StateSpace = {
    kind: 'state-space',
    name: 'mixer',
    width,
    inner: config.count(['intermediate_size', 'd_inner'], config.count('expand', 2) * width),
    state: config.count('state_size', 16),
    kernel: config.count('conv_kernel', 4),
    convBias: config.flag('use_conv_bias', true),
    bias: config.flag('use_bias', false),
    form: { version: 1, timeRank: rankOf(config, ['time_step_rank'], width), innerNorms: false },
  }
  return pureModel(config, { size, mixer, tied: true, modelType })
}

export const mamba2: Importer = (config, modelType) => {
  const size = dimensions(withoutHeads(config))
  const { width } = size
  const headWidth = config.count('head_dim', 64)
  const inner = config.count('expand', 2) * width
  const heads = config.count('num_heads', inner / headWidth)
  if (heads * headWidth !== inner) config.refuse('num_heads', `${heads} heads of width ${headWidth} are not the inner width ${inner}`)
  const mixer: StateSpace = {
    kind: 'state-space',
    name: 'mixer',
    width,
    inner,
    state: config.count('state_size', 128),
    kernel: config.count('conv_kernel', 4),
    convBias: config.flag('use_conv_bias', true),
    bias: config.flag('use_bias', false),
    form: { version: 2, heads, groups: config.count('n_groups', 8) },
  }
  return pureModel(config, { size, mixer, tied: false, modelType })
}

type PureModelInputs = {
  readonly size: ReturnType<typeof dimensions>
  readonly mixer: StateSpace
  readonly tied: boolean
  readonly modelType: string
}

const pureModel = (config: FieldReader, { size, mixer, tied, modelType }: PureModelInputs) =>
  languageModel({
    ...size,
    modelType,
    kindOf: () => 'layer',
    block: () => [rmsNorm('norm', size.width), mixer],
    tied: config.flag('tie_word_embeddings', tied),
    finalNorm: rmsNorm('final_norm', size.width),
  })

export const jamba: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, kvHeads, headWidth } = size
  const attends = { period: config.count('attn_layer_period', 8), offset: config.size('attn_layer_offset', 4) }
  const routes = { period: config.count('expert_layer_period', 2), offset: config.size('expert_layer_offset', 1) }
  const inner = config.count('intermediate_size')
  const scan: StateSpace = {
    kind: 'state-space',
    name: 'mixer',
    width,
    inner: config.count('mamba_expand', 2) * width,
    state: config.count('mamba_d_state', 16),
    kernel: config.count('mamba_d_conv', 4),
    convBias: config.flag('mamba_conv_bias', true),
    bias: config.flag('mamba_proj_bias', false),
    form: { version: 1, timeRank: rankOf(config, ['mamba_dt_rank'], width), innerNorms: true },
  }
  const moe = mixture({
    width,
    inner,
    ...expertCounts(config, { experts: 'num_experts', active: 'num_experts_per_tok' }, { experts: 16, active: 2 }),
  })
  const sparse = config.count('num_experts', 16) > 1
  return languageModel({
    ...size,
    modelType,
    kindOf: (index) =>
      `${index % attends.period === attends.offset ? 'attention' : 'mamba'} ${sparse && index % routes.period === routes.offset ? 'sparse' : 'dense'}`,
    block: (kind) =>
      preNormBlock(
        (name) => rmsNorm(name, width),
        kind.startsWith('attention') ? attention({ width, heads, kvHeads, headWidth, rotary: false }) : scan,
        kind.endsWith('sparse') ? moe : gatedMlp({ width, inner }),
      ),
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: rmsNorm('final_norm', width),
  })
}

/** The Mamba-2 mixer as Bamba and Granite spell its fields. */
function prefixedMixer(config: FieldReader, width: number): StateSpace {
  const inner = config.count('mamba_expand', 2) * width
  const heads = config.count('mamba_n_heads', 128)
  if (inner % heads !== 0) config.refuse('mamba_n_heads', `${heads} heads do not divide the inner width ${inner}`)
  return {
    kind: 'state-space',
    name: 'mixer',
    width,
    inner,
    state: config.count('mamba_d_state', 256),
    kernel: config.count('mamba_d_conv', 4),
    convBias: config.flag('mamba_conv_bias', true),
    bias: config.flag('mamba_proj_bias', false),
    form: { version: 2, heads, groups: config.count('mamba_n_groups', 1) },
  }
}

export const bamba: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, kvHeads, headWidth } = size
  const attends = config.indices('attn_layer_indices')
  const bias = config.flag('attention_bias', false)
  const mixer = attention({ width, heads, kvHeads, headWidth, bias: { qkv: bias, output: bias } })
  const mlp = gatedMlp({ width, inner: config.count('intermediate_size'), bias: config.flag('mlp_bias', false) })
  return languageModel({
    ...size,
    modelType,
    kindOf: (index) => (attends.includes(index) ? 'attention' : 'mamba'),
    block: (kind) => preNormBlock((name) => rmsNorm(name, width), kind === 'attention' ? mixer : prefixedMixer(config, width), mlp),
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: rmsNorm('final_norm', width),
  })
}

export const graniteHybrid: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, kvHeads, headWidth } = size
  const types = config.texts(['layers_block_type', 'layer_types'])
  if (!types || types.length !== size.layers) config.refuse('layer_types', `must name each of the ${size.layers} layers`)
  const bias = config.flag('attention_bias', false)
  const rotary = config.text('position_embedding_type', 'nope') === 'rope'
  const mixer = attention({ width, heads, kvHeads, headWidth, bias: { qkv: bias, output: bias }, rotary })
  const sharedInner = config.count('shared_intermediate_size', 1024)
  const experts = config.size('num_local_experts', 8)
  const mlp: Layer =
    experts === 0
      ? gatedMlp({ width, inner: sharedInner })
      : mixture({
          width,
          ...expertCounts(config, { experts: 'num_local_experts', active: 'num_experts_per_tok' }, { experts: 8, active: 2 }),
          inner: config.count('intermediate_size'),
          sharedInner,
        })
  return languageModel({
    ...size,
    modelType,
    kindOf: (index) => types?.[index] ?? 'mamba',
    block: (kind) => preNormBlock((name) => rmsNorm(name, width), kind === 'attention' ? mixer : prefixedMixer(config, width), mlp),
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: rmsNorm('final_norm', width),
  })
}

/** Letters of the older pattern and names of the newer list. */
const NEMOTRON_KINDS: Readonly<Record<string, string>> = {
  M: 'mamba',
  '*': 'attention',
  '-': 'mlp',
  E: 'experts',
  mamba: 'mamba',
  linear_attention: 'mamba',
  attention: 'attention',
  full_attention: 'attention',
  mlp: 'mlp',
  moe: 'experts',
}

/** Each Nemotron-H layer is one norm and one mixer. */
export const nemotronHybrid: Importer = (config, modelType) => {
  const listed = ['layers_block_type', 'layer_types'].find((name) => config.has(name))
  const field = listed ?? 'hybrid_override_pattern'
  const kinds = (listed === undefined ? [...config.text(field)] : (config.texts(field) ?? [])).map(
    (name) => NEMOTRON_KINDS[name] ?? `?${name}`,
  )
  const size = dimensions(config.withDefaults({ head_dim: config.count('attention_head_dim', 128), num_hidden_layers: kinds.length }))
  const wrong = kinds.find((kind) => kind.startsWith('?'))
  if (wrong !== undefined) config.refuse(field, `has the unknown kind of layer "${wrong.slice(1)}"`)
  if (kinds.length !== size.layers) config.refuse(field, `names ${kinds.length} layers where there are ${size.layers}`)
  if (config.size('num_nextn_predict_layers', 0) > 0) config.warn('the multi-token-prediction module is not counted')
  return languageModel({
    ...size,
    modelType,
    kindOf: (index) => kinds[index] ?? 'mamba',
    block: (kind) => [rmsNorm('norm', size.width), nemotronMixer(config, kind, size)],
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: rmsNorm('final_norm', size.width),
  })
}

function nemotronMixer(config: FieldReader, kind: string, size: ReturnType<typeof dimensions>): Layer {
  const { width, heads, kvHeads, headWidth } = size
  if (kind === 'attention') return attention({ width, heads, kvHeads, headWidth, rotary: false })
  if (kind === 'mlp') return plainMlp({ width, inner: config.count('intermediate_size'), bias: config.flag('mlp_bias', false) })
  if (kind === 'experts') return nemotronExperts(config, width)
  const stateHeads = config.count('mamba_num_heads', 128)
  return {
    kind: 'state-space',
    name: 'mixer',
    width,
    inner: stateHeads * config.count('mamba_head_dim', 64),
    state: config.count('ssm_state_size', 128),
    kernel: config.count('conv_kernel', 4),
    convBias: config.flag('use_conv_bias', true),
    bias: config.flag('use_bias', false),
    form: { version: 2, heads: stateHeads, groups: config.count('n_groups', 8) },
  }
}

const nemotronExperts = (config: FieldReader, width: number): Layer =>
  mixture({
    width,
    ...expertCounts(config, { experts: 'n_routed_experts', active: 'num_experts_per_tok' }),
    inner: config.count('moe_intermediate_size'),
    gated: false,
    correction: true,
    sharedInner: config.size('n_shared_experts', 0) * config.count('moe_shared_expert_intermediate_size', 1),
    ...(config.has('moe_latent_size') && { latentWidth: config.count('moe_latent_size') }),
  })
