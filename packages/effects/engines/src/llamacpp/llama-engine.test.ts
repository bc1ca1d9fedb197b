import { describe, expect, test } from 'vitest'
import { generateRequest, engineConformance } from '../conformance.ts'
import type { GeneratePart } from '../engine.ts'
import { openLlama } from './llama-engine.ts'
import { hasTorch, seededModel, SMALLEST } from './seeded-model.fixture.ts'

const torch = hasTorch()
if (!torch) console.warn('llama.cpp is not tested: the model for it is made with PyTorch, which is not installed')

describe.skipIf(!torch)('with a real model', () => {
  engineConformance('llama.cpp', async () => {
    const engine = await openLlama({ file: seededModel(SMALLEST), threads: 1, slots: 3, batch_tokens: 64, embeddings: true })
    return { engine, stop: () => engine.close() }
  })

  test('a long prompt does not hold up a running answer: it goes through in batches between tokens', async () => {
    const engine = await openLlama({ file: seededModel(SMALLEST), threads: 1, slots: 2, batch_tokens: 16, context_tokens: 1024 })
    const signal = new AbortController().signal
    const order: ('token' | 'prompt')[] = []
    const running = async (): Promise<void> => {
      for await (const part of engine.generate(generateRequest('hello', { max_tokens: 60 }), signal))
        if (part.part === 'text') order.push('token')
    }
    const long = async (): Promise<void> => {
      for await (const part of engine.generate(generateRequest('a long prompt '.repeat(60), { max_tokens: 1 }), signal))
        if (part.part === 'text') order.push('prompt')
    }
    await Promise.all([running(), long()])
    expect(order.indexOf('prompt')).toBeGreaterThan(20)
    await engine.close()
  })

  test('a client that leaves during a long prompt is gone after a batch', async () => {
    const engine = await openLlama({ file: seededModel(SMALLEST), threads: 1, slots: 1, batch_tokens: 16, context_tokens: 1024 })
    const leave = new AbortController()
    const parts: GeneratePart[] = []
    setTimeout(() => leave.abort(), 2)
    for await (const part of engine.generate(generateRequest('a long prompt '.repeat(60)), leave.signal)) parts.push(part)
    expect(parts).toEqual([expect.objectContaining({ part: 'ended', reason: 'aborted' })])
    expect((await engine.vitals()).kv_share).toBeLessThan(0.8)
    await engine.close()
  })

  test.each(['f32', 'q8_0'] as const)('says what computes its answers: weights of %s', async (weights) => {
    const engine = await openLlama({ file: seededModel(SMALLEST, weights), threads: 1, slots: 1 })
    expect(engine.model.instrument).toEqual({ engine: 'llama.cpp', version: expect.stringMatching(/\d/), quantization: weights })
    await engine.close()
  })

  test('a schema that cannot be kept is refused', async () => {
    const engine = await openLlama({ file: seededModel(SMALLEST), threads: 1, slots: 1 })
    const parts: GeneratePart[] = []
    for await (const part of engine.generate(
      generateRequest('x', { form: { kind: 'schema', schema: { minimum: 3 } } }),
      new AbortController().signal,
    ))
      parts.push(part)
    expect(parts).toEqual([expect.objectContaining({ part: 'refused', field: 'response_format' })])
    await engine.close()
  })
})
