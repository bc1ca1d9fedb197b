import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { Architecture } from './architecture.ts'
import { builtInModel } from './built-in.ts'
import { importConfig } from './import-config.ts'
import { groupParameters, parameterCounts, tensorList } from './parameters.ts'

function builtInArchitecture(name: string, changes: object = {}): Architecture {
  const imported = importConfig({ ...builtInModel(name)?.config, ...changes })
  if (!imported.ok) throw new Error(`${name}: ${imported.field}: ${imported.problem}`)
  return imported.architecture
}

describe('active parameters', () => {
  for (const [name, field, printed, unit] of [
    // Model card of gpt-oss, table 1: the output projection counts, the token table does not.
    ['gpt-oss-20b', 'activeComputing', 3.61, 0.01],
    ['gpt-oss-120b', 'activeComputing', 5.13, 0.01],
    // arXiv:2401.04088, section 1: 13B active.
    ['Mixtral-8x7B', 'active', 13, 1],
    // mistral.ai, announcement of Mixtral 8x22B: 39B active.
    ['Mixtral-8x22B-v0.1', 'active', 39, 1],
    // arXiv:2405.04434 abstract: 21B active; arXiv:2412.19437 abstract: 37B.
    ['DeepSeek-V2', 'active', 21, 1],
    ['DeepSeek-V3', 'active', 37, 1],
    ['Kimi-K2', 'active', 32, 1],
    ['Qwen3-235B-A22B', 'active', 22, 1],
    ['Qwen3-30B-A3B', 'active', 3.3, 0.1],
    ['Llama-4-Maverick', 'active', 17, 1],
    ['Llama-4-Scout', 'active', 17, 1],
    ['Jamba-v0.1', 'active', 12, 1],
  ] as const)
    test(`${name}: ${printed} B`, () => {
      const counts = parameterCounts(builtInArchitecture(name))
      const towers = counts.byStack.vision ?? 0
      // Publishers round to nearest or down.
      expect(Math.abs((counts[field] - towers) / 1e9 - printed)).toBeLessThan(unit)
    })
})

describe('other published parts', () => {
  for (const [name, count] of [
    // Model cards of Pythia print the parameters without both token tables.
    ['pythia-70m', 18_915_328],
    ['pythia-1b', 805_736_448],
    ['pythia-6.9b', 6_444_163_072],
    ['pythia-12b', 11_327_027_200],
  ] as const)
    test(`${name} without its tables`, () => expect(parameterCounts(builtInArchitecture(name)).nonEmbedding).toBe(count))

  test('the prediction module of DeepSeek-V3 stands apart', () => {
    const counts = parameterCounts(builtInArchitecture('DeepSeek-V3'))
    expect(counts.total).toBe(671_026_419_200)
    // One sparse layer, three norms and a 2h x h projection; README_WEIGHTS.md: 11.5B unique parameters.
    expect(counts.prediction).toBe(11_507_286_272 + 3 * 7168 + 2 * 7168 ** 2)
    expect(parameterCounts(builtInArchitecture('DeepSeek-V3', { num_nextn_predict_layers: 0 })).prediction).toBe(0)
  })

  test('DeepSeek-V3 by part', () => {
    const { byPart, active } = parameterCounts(builtInArchitecture('DeepSeek-V3'))
    expect(byPart.experts).toBe(58 * 256 * 3 * 7168 * 2048)
    expect(byPart.embedding).toBe(129_280 * 7168)
    expect(byPart.head).toBe(129_280 * 7168)
    expect(byPart.router).toBe(58 * 256 * (7168 + 1))
    // Counted elsewhere from the checkpoint without the 58 x 256 correction numbers: 37,552,282,624.
    expect(active).toBe(37_552_282_624 + 58 * 256)
  })

  test('a tied table is counted once, and multiplies', () => {
    const counts = parameterCounts(builtInArchitecture('Llama-3.2-1B'))
    expect(counts.byPart.head).toBeUndefined()
    expect(counts.activeComputing).toBe(counts.total)
  })
})

describe('recommendation models', () => {
  const mlp = (...widths: readonly number[]): number => widths.slice(1).reduce((sum, width, at) => sum + ((widths[at] ?? 0) + 1) * width, 0)
  const config = { model_type: 'dlrm', num_embeddings: [1000, 50, 7], embedding_dim: 16, bottom_mlp: [64, 16], top_mlp: [32, 1] }
  const total = (changes: object): number => {
    const imported = importConfig({ ...config, ...changes })
    return imported.ok ? parameterCounts(imported.architecture).total : Number.NaN
  }

  test('pairs of four vectors and the dense one go into the top', () => {
    expect(total({})).toBe(1057 * 16 + mlp(13, 64, 16) + mlp(16 + 6, 32, 1))
  })
  test('a cross network keeps the width of all vectors', () => {
    const cross = 2 * (64 * 8 + 8 * 64 + 64)
    expect(total({ interaction: 'dcn', cross_layers: 2, cross_rank: 8 })).toBe(1057 * 16 + mlp(13, 64, 16) + cross + mlp(64, 32, 1))
  })
})

const sizes = fc.record({
  heads: fc.constantFrom(4, 8, 16),
  headWidth: fc.constantFrom(32, 64),
  layers: fc.integer({ min: 1, max: 40 }),
  inner: fc.integer({ min: 1, max: 4096 }),
  vocabulary: fc.integer({ min: 2, max: 9999 }),
})

property.prop([sizes, fc.constantFrom('llama', 'qwen2', 'qwen3', 'gemma2', 'gpt_neox', 'mixtral')])(
  'twice the layers have twice the parameters in layers, and the parts add up',
  ({ heads, headWidth, layers, inner, vocabulary }, modelType) => {
    const config = (count: number): object => ({
      model_type: modelType,
      hidden_size: heads * headWidth,
      head_dim: headWidth,
      num_attention_heads: heads,
      num_hidden_layers: count,
      intermediate_size: inner,
      vocab_size: vocabulary,
      num_local_experts: 4,
    })
    const inLayers = (count: number): number => {
      const imported = importConfig(config(count))
      if (!imported.ok) throw new Error(imported.field)
      const counts = parameterCounts(imported.architecture)
      expect(imported.architecture.groups.reduce((sum, group) => sum + groupParameters(group), 0)).toBe(counts.total)
      return counts.byStack.decoder ?? 0
    }
    expect(inLayers(2 * layers)).toBe(2 * inLayers(layers))
  },
)

test('a tensor is listed once with the number of its occurrences', () => {
  const listed = tensorList(builtInArchitecture('Llama-3.1-405B'))
  expect(listed).toHaveLength(1 + 9 + 1 + 1)
  expect(listed.find((tensor) => tensor.name === 'mlp.down.weight')).toMatchObject({ shape: [16_384, 53_248], count: 126, part: 'mlp' })
})
