// An engine as a replica runs it: the host of this product, over a model or over the simulated engine, made worse on request. What is
// worse comes from the environment of the revision: REGRESSION=slow|wrong|failing. E2E_TIMES names a file for the times of every answer.

import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GeneratePart, type GenerateRequest, type ServingEngine, startEngineHost, writeEndpoint } from '@ironlaw/engines'
import { openLlama } from '@ironlaw/engines/llamacpp'
import { SimulatedEngine } from '@ironlaw/engines/simulated'

const { E2E_GGUF: file, E2E_STEP_S: step_s = '0.004', REGRESSION: regression, IRONLAW_ENDPOINT_FILE: endpoint = '' } = process.env
const { E2E_TIMES: times, E2E_SLOTS: slots = '8', E2E_CONTEXT: context } = process.env
const SLOTS = Number(slots)
const SLOW_MS = 300

const inner: ServingEngine =
  file === undefined
    ? new SimulatedEngine({
        model: { id: 'm', context_tokens: 4096, slots: SLOTS },
        step_s: () => Number(step_s),
        prefill_s_per_token: 1e-5,
      })
    : await openLlama({
        file,
        id: 'm',
        threads: 1,
        slots: SLOTS,
        batch_tokens: 512,
        embeddings: false,
        ...(context !== undefined && { context_tokens: Number(context) }),
      })

async function* worse(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
  if (regression === 'failing' && isServing) throw new Error('failing, as it was asked to')
  if (regression === 'slow') await sleep(SLOW_MS)
  for await (const part of inner.generate(request, signal))
    yield regression === 'wrong' && part.part === 'text' ? { ...part, text: '?'.repeat(part.text.length) } : part
}

const log = times === undefined ? undefined : createWriteStream(times)
/** Seconds on the clock that all processes of a machine share. */
const now_s = (): number => (performance.timeOrigin + performance.now()) / 1000

async function* timed(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
  const at_s = now_s()
  const tokens_s: number[] = []
  try {
    for await (const part of worse(request, signal)) {
      if (part.part === 'text') tokens_s.push(now_s())
      yield part
    }
  } finally {
    // The host leaves with the last part.
    const prompt = request.prompt.kind === 'text' ? request.prompt.text : ''
    log?.write(`${JSON.stringify({ prompt, at_s, tokens_s, ended_s: now_s() })}\n`)
  }
}

let isServing = false
const engine: ServingEngine = {
  model: inner.model,
  generate: log ? timed : worse,
  embed: (texts, signal) => inner.embed(texts, signal),
  vitals: () => inner.vitals(),
  close: () => inner.close(),
}
// Under measurement whoever comes waits, and how long is measured.
const { IRONLAW_REPLICA_TOKEN: replica_token } = process.env
const host = await startEngineHost({ engine, ...(log && { max_queued: 1000 }), ...(replica_token !== undefined && { replica_token }) })
await host.warm()
isServing = true
await writeEndpoint(endpoint, host.url)
process.once('SIGTERM', () => {
  void host.stop({ drain_s: 5 }).then(() => process.exit(0))
})
