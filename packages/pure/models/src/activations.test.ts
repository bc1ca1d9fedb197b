import { describe, expect, test } from 'vitest'
import { activationBytes } from './activations.ts'
import type { Architecture } from './architecture.ts'
import { builtInModel } from './built-in.ts'
import { importConfig } from './import-config.ts'
import type { Workload } from './workload.ts'

function builtInArchitecture(name: string): Architecture {
  const imported = importConfig(builtInModel(name)?.config)
  if (!imported.ok) throw new Error(`${name}: ${imported.problem}`)
  return imported.architecture
}

const BF16 = { weight: 2, activation: 2, cache: 2 }

const perLayer = (name: string, workload: Omit<Workload, 'context' | 'precision'>, group: string): number => {
  const found = activationBytes(builtInArchitecture(name), { ...workload, context: 0, precision: BF16 }).groups.find(
    (each) => each.group === group,
  )
  return found?.bytes ?? Number.NaN
}

describe('Korthikanti et al. 2022, section 4, is a special case', () => {
  const [s, h, a, b] = [2048, 12_288, 96, 4]
  test('with dropout and unfused attention: s b h (34 + 5 a s / h)', () => {
    expect(perLayer('Megatron-175B', { batch: b, tokens: s, attention: 'unfused', dropout: true }, 'layer')).toBe(
      34 * s * b * h + 5 * a * s * s * b,
    )
  })
  test('fused attention keeps a log-sum-exp instead of the square', () => {
    expect(perLayer('Megatron-175B', { batch: b, tokens: s, dropout: true }, 'layer')).toBe(34 * s * b * h + 4 * a * s * b)
  })
  test('without dropout two masks less', () => {
    expect(perLayer('Megatron-175B', { batch: b, tokens: s }, 'layer')).toBe(32 * s * b * h + 4 * a * s * b)
  })
})

test('Llama-3.1-8B keeps norms, projections, heads and the gated MLP', () => {
  const [s, h, f] = [8192, 4096, 14_336]
  // Two norm inputs, two projection inputs; q and o; k and v; log-sum-exp; gate, up and product.
  const kept = 2 * s * (2 * h + 2 * h + 2 * h + 2 * 1024 + 3 * f) + 4 * 32 * s
  expect(perLayer('Llama-3.1-8B', { batch: 1, tokens: s }, 'causal dense')).toBe(kept)
})

test('experts keep k copies of what a dense layer keeps once', () => {
  const [s, h, f] = [1024, 4096, 14_336]
  const kept = 2 * s * (2 * h + 2 * h + 2 * h + 2 * 1024 + 2 * h + 2 * 3 * f) + 4 * 8 * s + 4 * 32 * s
  expect(perLayer('Mixtral-8x7B', { batch: 1, tokens: s }, 'causal sparse')).toBe(kept)
})

test('recomputing everything keeps the input of each layer', () => {
  const { groups } = activationBytes(builtInArchitecture('Llama-3.1-8B'), { batch: 2, tokens: 100, context: 0, precision: BF16 })
  expect(groups.find((group) => group.group === 'causal dense')).toMatchObject({ count: 32, inputBytes: 2 * 100 * 4096 * 2 })
})

test('the total is the sum over layers', () => {
  const { total, groups } = activationBytes(builtInArchitecture('DeepSeek-V3'), { batch: 1, tokens: 4096, context: 0, precision: BF16 })
  expect(total).toBe(groups.reduce((sum, group) => sum + group.count * group.bytes, 0))
  // The head keeps its input and one copy of the logits.
  expect(groups.at(-1)?.bytes).toBe(2 * 4096 * (7168 + 129_280))
})
