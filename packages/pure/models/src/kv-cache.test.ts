import { describe, expect, test } from 'vitest'
import type { Architecture } from './architecture.ts'
import { builtInModel } from './built-in.ts'
import { importConfig } from './import-config.ts'
import { cacheBytes, cacheOf } from './kv-cache.ts'

function builtInArchitecture(name: string): Architecture {
  const imported = importConfig(builtInModel(name)?.config)
  if (!imported.ok) throw new Error(`${name}: ${imported.problem}`)
  return imported.architecture
}

describe('bytes per token in BF16', () => {
  for (const [name, perToken, beyondWindows] of [
    ['Llama-3.1-8B', 2 * 32 * 8 * 128 * 2, 131_072],
    ['Llama-3.1-70B', 327_680, 327_680],
    ['Llama-3.1-405B', 516_096, 516_096],
    ['Llama-2-7b', 524_288, 524_288],
    ['Qwen2.5-7B', 57_344, 57_344],
    ['falcon-7b', 2 * 32 * 1 * 64 * 2, 8192],
    ['DeepSeek-V2', 69_120, 69_120],
    ['DeepSeek-V3', (512 + 64) * 61 * 2, 70_272],
    // Every layer of Mistral-7B v0.1 looks through a window; half of gemma-2's and gpt-oss's; five of six of gemma-3's.
    ['Mistral-7B-v0.1', 131_072, 0],
    ['gemma-2-9b', 344_064, 172_032],
    ['gpt-oss-120b', 73_728, 36_864],
    ['gemma-3-27b', 2 * 62 * 16 * 128 * 2, 2 * 10 * 16 * 128 * 2],
    // Only 4 of 32 layers of Jamba attend; 6 of 52 of Nemotron 3 Nano; none of Mamba.
    ['Jamba-v0.1', 2 * 4 * 8 * 128 * 2, 16_384],
    ['Nemotron-3-Nano-30B-A3B', 2 * 6 * 2 * 128 * 2, 6144],
    ['mamba2-2.7b', 0, 0],
    ['bert-base', 0, 0],
  ] as const)
    test(name, () => {
      const cache = cacheOf(builtInArchitecture(name), { cache: 2 })
      expect(cache.perToken).toBe(perToken)
      expect(cache.perTokenBeyondWindows).toBe(beyondWindows)
    })
})

describe('bytes of a sequence', () => {
  test('a window caps it', () => {
    expect(cacheBytes(builtInArchitecture('Mistral-7B-v0.1'), { cache: 2 }, { tokens: 32_768 })).toBe(131_072 * 4096)
    expect(cacheBytes(builtInArchitecture('Mistral-7B-v0.1'), { cache: 2 }, { tokens: 1000 })).toBe(131_072 * 1000)
    expect(cacheBytes(builtInArchitecture('gpt-oss-20b'), { cache: 1 }, { tokens: 10_000 })).toBe(12 * 1024 * (10_000 + 128))
  })

  test('chunks cap three of four layers of Llama 4', () => {
    const perLayer = 2 * 8 * 128 * 2
    expect(cacheBytes(builtInArchitecture('Llama-4-Scout'), { cache: 2 }, { tokens: 100_000 })).toBe(perLayer * (12 * 100_000 + 36 * 8192))
  })

  test('state does not grow', () => {
    const model = builtInArchitecture('mamba2-2.7b')
    const perLayer = 5120 * 128 + (5120 + 2 * 128) * 3
    expect(cacheOf(model, { cache: 2, state: 4 }).state).toBe(4 * 64 * perLayer)
    expect(cacheBytes(model, { cache: 2 }, { tokens: 10 })).toBe(cacheBytes(model, { cache: 2 }, { tokens: 100_000 }))
  })

  test('a decoder keeps its own tokens and those of the encoder', () => {
    const model = builtInArchitecture('t5-base')
    expect(cacheOf(model, { cache: 2 }).perSourceToken).toBe(2 * 12 * 768 * 2)
    expect(cacheBytes(model, { cache: 2 }, { tokens: 10, sourceTokens: 90 })).toBe(2 * 12 * 768 * 2 * 100)
  })
})
