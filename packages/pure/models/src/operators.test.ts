import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { Architecture } from './architecture.ts'
import { builtInModel, builtInModels } from './built-in.ts'
import { expectedExperts } from './feed-forward-operators.ts'
import { importConfig } from './import-config.ts'
import type { Operator } from './operator.ts'
import { flopTotals, operatorList } from './operators.ts'
import { parameterCounts, tensorList } from './parameters.ts'
import { activeElements } from './tensors.ts'
import type { Workload } from './workload.ts'

function builtInArchitecture(name: string): Architecture {
  const imported = importConfig(builtInModel(name)?.config)
  if (!imported.ok) throw new Error(`${name}: ${imported.problem}`)
  return imported.architecture
}

const BF16 = { weight: 2, activation: 2, cache: 2 }
const train = (batch: number, tokens: number): Workload => ({ batch, tokens, context: 0, precision: BF16 })
const decode = (batch: number, context: number): Workload => ({ batch, tokens: 1, context, precision: BF16 })

const isProduct = (each: Operator): boolean => each.kind === 'gemm' || each.kind === 'grouped-gemm'
const productFlops = (operators: readonly Operator[]): number => flopTotals(operators.filter(isProduct)).forward
const sum = (operators: readonly Operator[], of: (each: Operator) => number): number =>
  operators.reduce((total, each) => total + each.count * of(each), 0)

/** Weights that multiply a token: matrices of the text model, the tied head included; not tables, vectors, biases or filters. */
function multiplyingWeights(architecture: Architecture): number {
  const matrices = tensorList(architecture).filter(
    ({ name, part, stack, shape }) =>
      (stack === 'decoder' || stack === 'output') &&
      part !== 'embedding' &&
      part !== 'position' &&
      shape.length >= 2 &&
      !/bias|conv|A_log/.test(name),
  )
  const own = matrices.reduce((total, tensor) => total + tensor.count * activeElements(tensor), 0)
  return own + (architecture.tied ? architecture.vocabulary * architecture.width : 0)
}

const TEXT_MODELS = builtInModels.filter(
  ({ name, config }) => !/t5|bert|vit|resnet|mobilenet|dlrm|opt-350m/.test(`${name} ${String(config['model_type'])}`),
)

describe('forward products cost two FLOPs per token and multiplying weight', () => {
  for (const { name } of TEXT_MODELS)
    test(name, () => {
      const architecture = builtInArchitecture(name)
      expect(productFlops(operatorList(architecture, train(1, 64))) / 64 / (2 * multiplyingWeights(architecture))).toBeCloseTo(1, 12)
    })
})

describe('6 N D', () => {
  for (const [name, tokens, least, most] of [
    // Short sequences leave only the products, so forward and backward are 6 N; attention adds to it with the length.
    ['Llama-3.1-8B', 64, 1, 1.01],
    // 3.5 x 2 L h s / 6 N = 3.5 x 2 x 126 x 16384 x 8192 / (6 x 403.75e9) = 4.9 %.
    ['Llama-3.1-405B', 8192, 1.049, 1.05],
    ['Mixtral-8x7B', 64, 1, 1.01],
    ['gpt-oss-120b', 64, 0.99, 1.02],
    ['DeepSeek-V3', 64, 1, 1.01],
    ['GPT-3', 2048, 1, 1.03],
  ] as const)
    test(name, () => {
      const architecture = builtInArchitecture(name)
      const { forward, backward } = flopTotals(operatorList(architecture, train(1, tokens)))
      const ratio = (forward + backward) / (6 * parameterCounts(architecture).activeComputing * tokens)
      expect(ratio).toBeGreaterThan(least - 1e-3)
      expect(ratio).toBeLessThan(most)
    })
})

describe('worked operators', () => {
  const operatorNamed = (name: string, workload: Workload, operator: string): Operator => {
    const found = operatorList(builtInArchitecture(name), workload).find((each) => each.name === operator)
    if (!found) throw new Error(`${name} has no ${operator}`)
    return found
  }

  test('Llama-3.1-8B at 8,192 tokens', () => {
    const workload = train(1, 8192)
    expect(operatorNamed('Llama-3.1-8B', workload, 'attention.qkv')).toMatchObject({
      kind: 'gemm',
      m: 8192,
      n: 6144,
      k: 4096,
      count: 32,
      split: 'column',
    })
    expect(operatorNamed('Llama-3.1-8B', workload, 'mlp.up')).toMatchObject({ n: 2 * 14_336, forward: 2 * 8192 * 4096 * 2 * 14_336 })
    const core = operatorNamed('Llama-3.1-8B', workload, 'attention.core')
    // Half the square and half the diagonal: 4 a d s (s + 1) / 2.
    expect(core.forward).toBe(4 * 32 * 128 * ((8192 * 8193) / 2))
    expect(core.backward).toBe(2.5 * core.forward)
    expect(core.readBytes).toBe(8192 * (4096 + 2 * 1024) * 2)
  })

  test('decoding reads the whole cache, a window reads the window', () => {
    expect(operatorNamed('Llama-3.1-8B', decode(4, 1000), 'attention.core').readBytes).toBe(4 * (4096 + 1001 * 2048) * 2)
    expect(operatorNamed('Mistral-7B-v0.1', decode(1, 9000), 'attention.core')).toMatchObject({ keys: 4096, pairs: 4096 })
    expect(operatorNamed('gpt-oss-20b', decode(1, 9000), 'attention.core')).toMatchObject({ group: 'sliding', keys: 128 })
  })

  test('an 8-bit cache halves what is read from it but not the new token', () => {
    const workload = { ...decode(1, 1000), precision: { ...BF16, cache: 1 } }
    expect(operatorNamed('Llama-3.1-8B', workload, 'attention.core').readBytes).toBe(4096 * 2 + 2048 * (2 + 1000))
  })

  test('latent attention decodes on the latents and trains on the heads', () => {
    expect(operatorNamed('DeepSeek-V3', decode(1, 4096), 'attention.core')).toMatchObject({
      kvHeads: 1,
      keyWidth: 576,
      valueWidth: 512,
      readBytes: 2 * (128 * 576 + 4097 * 576),
    })
    expect(operatorNamed('DeepSeek-V3', train(1, 4096), 'attention.core')).toMatchObject({ kvHeads: 128, keyWidth: 192, valueWidth: 128 })
    expect(operatorNamed('DeepSeek-V3', { ...decode(1, 4096), latent: 'expanded' }, 'attention.kv_b')).toMatchObject({ m: 4097 })
  })

  test('few tokens touch few experts', () => {
    const model = { experts: 256, active: 8 }
    expect(expectedExperts(model, 1)).toBeCloseTo(8, 10)
    expect(expectedExperts(model, 1e6)).toBeCloseTo(256, 10)
    const up = operatorNamed('DeepSeek-V3', decode(1, 10), 'moe.experts.up')
    expect(up.weightBytes / (2 * 8 * 7168 * 4096)).toBeCloseTo(1, 10)
    expect(up).toMatchObject({ kind: 'grouped-gemm', n: 4096, k: 7168 })
  })

  test('serving needs the logits of the last token only', () => {
    expect(operatorNamed('Llama-3.1-8B', { ...train(2, 512), outputs: 'last' }, 'head')).toMatchObject({ m: 2 })
  })

  test('ResNet-50 costs 4.09 G multiply-adds an image', () => {
    // The figure that torchvision prints with its weights (GFLOPS, as multiply-adds).
    expect(
      flopTotals(operatorList(builtInArchitecture('resnet50'), train(1, 1)).filter((each) => each.kind !== 'vector')).forward / 2 / 1e9,
    ).toBeCloseTo(4.09, 2)
    expect(
      flopTotals(operatorList(builtInArchitecture('resnet18'), train(1, 1)).filter((each) => each.kind !== 'vector')).forward / 2 / 1e9,
    ).toBeCloseTo(1.81, 2)
    expect(
      flopTotals(operatorList(builtInArchitecture('MobileNetV2'), train(1, 1)).filter((each) => each.kind !== 'vector')).forward / 2 / 1e9,
    ).toBeCloseTo(0.3, 2)
  })

  test('ViT-B/16 costs 17.56 G multiply-adds an image', () => {
    const operators = operatorList(builtInArchitecture('ViT-B/16'), train(1, 1)).filter((each) => each.kind !== 'vector')
    expect(flopTotals(operators).forward / 2 / 1e9).toBeCloseTo(17.56, 1)
  })

  test('towers and prediction modules run only when asked', () => {
    const stacks = (workload: Workload, name: string) =>
      new Set(operatorList(builtInArchitecture(name), workload).map((each) => each.stack))
    expect(stacks(train(1, 64), 'gemma-3-4b').has('vision')).toBe(false)
    expect(stacks({ ...train(1, 64), images: 1 }, 'gemma-3-4b').has('vision')).toBe(true)
    expect(stacks(train(1, 64), 'DeepSeek-V3').has('prediction')).toBe(false)
    expect(stacks({ ...train(1, 64), prediction: true }, 'DeepSeek-V3').has('prediction')).toBe(true)
    expect(stacks(decode(1, 64), 't5-base').has('encoder')).toBe(false)
  })
})

const anyModel = fc.constantFrom(...builtInModels.map((model) => model.name))
const anyTokens = fc.integer({ min: 1, max: 300 })

property.prop([anyModel, fc.integer({ min: 1, max: 8 }), fc.record({ tokens: anyTokens, context: fc.nat(500) })])(
  'costs are linear in the batch',
  (name, batch, length) => {
    const workload = { batch: 1, ...length, precision: BF16 }
    const one = operatorList(builtInArchitecture(name), workload)
    const many = operatorList(builtInArchitecture(name), { ...workload, batch })
    for (const measure of [
      (each: Operator) => each.forward,
      (each: Operator) => each.writtenBytes,
      (each: Operator) => each.savedBytes,
    ] as const)
      expect(sum(many, measure) / Math.max(1, batch * sum(one, measure))).toBeCloseTo(sum(one, measure) === 0 ? 0 : 1, 9)
  },
)

property.prop([fc.constantFrom(...TEXT_MODELS.map((model) => model.name)), anyTokens, fc.nat(500)])(
  'decoding n tokens does the products of prefilling n tokens',
  (name, tokens, context) => {
    const architecture = builtInArchitecture(name)
    const steps = tokens * productFlops(operatorList(architecture, decode(1, context)))
    // Latent attention expands its context in one form and absorbs it in the other: hold the form.
    fc.pre(!architecture.groups.some((group) => group.layers.some((layer) => layer.kind === 'latent-attention')))
    expect(steps / productFlops(operatorList(architecture, train(1, tokens)))).toBeCloseTo(1, 9)
  },
)

property.prop([anyModel, anyTokens])(
  'everything is finite and not negative, and the backward costs at least the forward',
  (name, tokens) => {
    for (const each of operatorList(builtInArchitecture(name), { ...train(2, tokens), images: 1 })) {
      for (const value of [each.forward, each.backward, each.weightBytes, each.readBytes, each.writtenBytes, each.savedBytes])
        expect(Number.isFinite(value) && value >= 0).toBe(true)
      expect(each.backward).toBeGreaterThanOrEqual(each.forward)
    }
  },
)
