import { describe, expect, test } from 'vitest'
import { engineConformance, type Rig } from '../conformance.ts'
import { startEngineHost } from '../host/engine-host.ts'
import { openLlama } from '../llamacpp/llama-engine.ts'
import { hasTorch, seededModel, SMALLEST } from '../llamacpp/seeded-model.fixture.ts'
import { sampleIn } from './metrics-text.ts'
import { connectVllm } from './vllm-engine.ts'

describe.skipIf(!hasTorch())('over HTTP to a host of llama.cpp', () => {
  const start = async (): Promise<Rig> => {
    const engine = await openLlama({ file: seededModel(SMALLEST), threads: 1, slots: 3, embeddings: true })
    const host = await startEngineHost({ engine, max_queued: 100 })
    await host.warm()
    return {
      engine: await connectVllm({ url: host.url, slots: 3 }),
      stop: async () => {
        await host.stop()
        await engine.close()
      },
    }
  }
  engineConformance('vllm', start, { began: 'answers of vLLM do not say it' })
})

test('a server that is not there throws with its address', async () => {
  await expect(connectVllm({ url: 'http://127.0.0.1:9', slots: 1 })).rejects.toThrow(/http:\/\/127\.0\.0\.1:9/)
})

test('metrics are read by their whole name, over all series', () => {
  const text = '# TYPE a gauge\na_total{x="1"} 2\na_total{x="2"} 3\na_total_more 7\nb 4\n'
  expect([sampleIn(text, 'a_total'), sampleIn(text, 'b'), sampleIn(text, 'a')]).toEqual([5, 4, undefined])
})
