import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { builtInModel, builtInModels } from './built-in.ts'
import { importConfig, MODEL_TYPES } from './import-config.ts'
import { parameterCounts } from './parameters.ts'

const LLAMA = {
  model_type: 'llama',
  hidden_size: 4096,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  intermediate_size: 14_336,
  vocab_size: 128_256,
}

const total = (config: unknown): number => {
  const imported = importConfig(config)
  return imported.ok ? parameterCounts(imported.architecture).total : Number.NaN
}

const mixtral = { ...LLAMA, model_type: 'mixtral', num_local_experts: 8, num_experts_per_tok: 2 }

describe('what cannot be understood is refused with its field', () => {
  for (const [why, config, field, problem] of [
    ['no object', 'llama', '', /expected an object/],
    ['a list', [LLAMA], '', /expected an object/],
    ['no model_type', { ...LLAMA, model_type: undefined }, 'model_type', /missing/],
    [
      'heads that do not divide',
      { ...LLAMA, num_attention_heads: 30, num_key_value_heads: 30 },
      'num_attention_heads',
      /30 heads do not divide the width 4096/,
    ],
    [
      'heads under another name',
      { model_type: 'gpt2', n_embd: 100, n_head: 12, n_layer: 1, vocab_size: 10 },
      'n_head',
      /12 heads do not divide/,
    ],
    [
      'key-value heads that do not divide',
      { ...LLAMA, num_key_value_heads: 5 },
      'num_key_value_heads',
      /32 attention heads cannot share 5/,
    ],
    ['a negative size', { ...LLAMA, hidden_size: -4096 }, 'hidden_size', /at least 1, found -4096/],
    ['zero layers', { ...LLAMA, num_hidden_layers: 0 }, 'num_hidden_layers', /at least 1, found 0/],
    ['a fraction', { ...LLAMA, intermediate_size: 1.5 }, 'intermediate_size', /whole number/],
    ['text for a number', { ...LLAMA, vocab_size: '128256' }, 'vocab_size', /found "128256"/],
    ['text for a flag', { ...LLAMA, tie_word_embeddings: 'yes' }, 'tie_word_embeddings', /true or false, found "yes"/],
    ['an endless model', { ...LLAMA, num_hidden_layers: 1e9 }, 'num_hidden_layers', /more than any model has/],
    ['a missing size', { ...LLAMA, intermediate_size: null }, 'intermediate_size', /missing/],
    ['experts that are not there', { ...mixtral, num_local_experts: undefined }, 'num_local_experts', /missing/],
    ['more visited experts than experts', { ...mixtral, num_experts_per_tok: 9 }, 'num_experts_per_tok', /9 of 8/],
    ['a field inside', { model_type: 'llama4', text_config: { ...LLAMA, hidden_size: 'x' } }, 'text_config.hidden_size', /found "x"/],
    ['no inside', { model_type: 'llama4' }, 'text_config', /missing/],
    [
      'experts in an unknown form',
      { ...LLAMA, model_type: 'brandnew', kv_lora_rank: 512, num_experts: 8 },
      'num_experts',
      /"brandnew" is unknown, and latent attention with experts/,
    ],
    [
      'a short list of layers',
      { ...LLAMA, model_type: 'gemma2', layer_types: ['full_attention'] },
      'layer_types',
      /lists 1 layers where there are 32/,
    ],
    [
      'an unknown letter',
      { ...LLAMA, model_type: 'nemotron_h', num_hidden_layers: 3, hybrid_override_pattern: 'M?*' },
      'hybrid_override_pattern',
      /kind of layer "\?"/,
    ],
    [
      'a table of text',
      { model_type: 'dlrm', embedding_dim: 8, num_embeddings: [10, 'x'], bottom_mlp: [8], top_mlp: [1] },
      'num_embeddings[1]',
      /found "x"/,
    ],
  ] as const)
    test(why, () => {
      const imported = importConfig(config)
      expect(imported).toMatchObject({ ok: false, field })
      expect(imported.ok ? '' : imported.problem).toMatch(problem)
    })
})

test('an unknown model_type is read as a Llama, and says so', () => {
  const imported = importConfig({ ...LLAMA, model_type: 'brandnew', index_topk: 4 })
  expect(imported).toMatchObject({ ok: true, architecture: { modelType: 'brandnew' } })
  expect(imported.ok && imported.warnings).toEqual([
    'model_type "brandnew" is unknown and was read like "llama"; assumed: causal attention with rotary positions; RMSNorm without bias before attention and MLP; head_dim = hidden_size / num_attention_heads; untied token table and output projection; no attention biases; gated SiLU MLP',
    '"index_topk" is set but was not used',
  ])
  expect(total({ ...LLAMA, model_type: 'brandnew' })).toBe(8_030_261_248)
})

describe('an unknown model_type is read like the family whose fields it has', () => {
  for (const name of ['DeepSeek-V3', 'GLM-4.5', 'Mixtral-8x7B', 'Qwen3-30B-A3B'])
    test(name, () => {
      const config = builtInModel(name)?.config
      expect(total({ ...config, model_type: 'brandnew' })).toBe(total(config))
    })
})

test('an unknown wrapper yields the language model inside', () => {
  const imported = importConfig({ model_type: 'llava_next_of_tomorrow', text_config: LLAMA })
  expect(imported.ok && imported.warnings).toEqual([
    'model_type "llava_next_of_tomorrow" is unknown; only the language model inside it was read',
  ])
  expect(total({ model_type: 'llava_next_of_tomorrow', text_config: LLAMA })).toBe(8_030_261_248)
})

describe('defaults are those of the family', () => {
  const table = 128_256 * 4096
  for (const [why, config, want] of [
    ['llama does not tie', LLAMA, 8_030_261_248],
    ['llama may tie', { ...LLAMA, tie_word_embeddings: true }, 8_030_261_248 - table],
    ['gemma ties', { ...LLAMA, model_type: 'gemma', head_dim: 128 }, 8_030_261_248 - table],
    ['qwen2 has query, key and value biases', { ...LLAMA, model_type: 'qwen2' }, 8_030_261_248 + 32 * 6144],
    ['attention_bias adds four vectors', { ...LLAMA, attention_bias: true }, 8_030_261_248 + 32 * (6144 + 4096)],
    ['qwen3 normalises queries and keys', { ...LLAMA, model_type: 'qwen3' }, 8_030_261_248 + 32 * 256],
    [
      'without num_key_value_heads every head has its own',
      { ...LLAMA, num_key_value_heads: undefined },
      8_030_261_248 + 32 * 2 * 3072 * 4096,
    ],
    ['head_dim overrides the quotient', { ...LLAMA, head_dim: 64 }, 8_030_261_248 - 32 * 64 * 4096 * (32 + 8 + 8 + 32)],
  ] as const)
    test(why, () => expect(total(config)).toBe(want))
})

test('a published wrapper config may leave out what equals the class defaults', () => {
  const text = { hidden_size: 2560, intermediate_size: 10_240, num_hidden_layers: 34, sliding_window: 1024 }
  const vision = {
    hidden_size: 1152,
    image_size: 896,
    intermediate_size: 4304,
    num_attention_heads: 16,
    num_hidden_layers: 27,
    patch_size: 14,
  }
  expect(total({ model_type: 'gemma3', text_config: text, vision_config: vision })).toBe(4_300_079_472)
})

test('a window is the class default when absent and off when null', () => {
  const windowed = (config: object) => {
    const imported = importConfig(config)
    return imported.ok && imported.architecture.groups.map((group) => group.name)
  }
  expect(windowed({ ...LLAMA, model_type: 'mistral' })).toContain('sliding dense')
  expect(windowed({ ...LLAMA, model_type: 'mistral', sliding_window: null })).toContain('causal dense')
})

test('the layout names the group of every layer in order', () => {
  const imported = importConfig(builtInModel('deepseek-v3')?.config)
  if (!imported.ok) throw new Error(imported.problem)
  const { groups, layout } = imported.architecture
  expect(layout).toHaveLength(61)
  expect(layout.map((at) => groups[at]?.name)).toEqual([
    ...Array.from({ length: 3 }, () => 'dense'),
    ...Array.from({ length: 58 }, () => 'sparse'),
  ])
  for (const model of builtInModels) {
    const each = importConfig(model.config)
    if (!each.ok) throw new Error(model.name)
    for (const [at, group] of each.architecture.groups.entries())
      if (group.stack === 'decoder' && group.name !== 'decoder final norm')
        expect(each.architecture.layout.filter((index) => index === at)).toHaveLength(group.count)
  }
})

test('every listed model_type is one the tests or the facts have', () => {
  expect(MODEL_TYPES).toContain('deepseek_v3')
  expect(MODEL_TYPES.length).toBeGreaterThan(40)
})

const anything = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.integer(), { maxLength: 3 }))

property.prop([fc.constantFrom(...builtInModels), fc.nat(), anything])('no single bad field makes it throw', (model, at, value) => {
  const keys = Object.keys(model.config)
  const key = keys[at % keys.length] ?? 'model_type'
  const imported = importConfig({ ...model.config, [key]: value })
  if (!imported.ok) expect(imported.problem).not.toBe('')
  else expect(Number.isFinite(parameterCounts(imported.architecture).total)).toBe(true)
})
