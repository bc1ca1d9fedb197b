// An engine as a replica runs it: the host of this product, over a model or over the simulated engine, made worse on request. What is
// worse comes from the environment of the revision: REGRESSION=slow|wrong|failing.

import { type GeneratePart, type GenerateRequest, type ServingEngine, startEngineHost, writeEndpoint } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { SimulatedEngine } from '@ironlaw/engines/simulated'
import { setTimeout as sleep } from 'node:timers/promises'

const { E2E_GGUF: file, E2E_STEP_S: step_s = '0.004', REGRESSION: regression, IRONLAW_ENDPOINT_FILE: endpoint = '' } = process.env
const SLOTS = 8
const SLOW_MS = 300

const inner: ServingEngine =
  file === undefined
    ? new SimulatedEngine({
        model: { id: 'm', context_tokens: 4096, slots: SLOTS },
        step_s: () => Number(step_s),
        prefill_s_per_token: 1e-5,
      })
    : await openLlama({ file, id: 'm', threads: 1, slots: SLOTS, batch_tokens: 512, embeddings: false })

async function* worse(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
  if (regression === 'failing' && isServing) throw new Error('failing, as it was asked to')
  if (regression === 'slow') await sleep(SLOW_MS)
  for await (const part of inner.generate(request, signal))
    yield regression === 'wrong' && part.part === 'text' ? { ...part, text: '?'.repeat(part.text.length) } : part
}

let isServing = false
const engine: ServingEngine = {
  model: inner.model,
  generate: worse,
  embed: (texts, signal) => inner.embed(texts, signal),
  vitals: () => inner.vitals(),
  close: () => inner.close(),
}
const host = await startEngineHost({ engine })
await host.warm()
isServing = true
await writeEndpoint(endpoint, host.url)
process.once('SIGTERM', () => {
  void host.stop({ drain_s: 5 }).then(() => process.exit(0))
})
