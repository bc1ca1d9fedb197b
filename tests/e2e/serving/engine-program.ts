// An engine as a replica runs it: the host of this product, over a model or over the simulated engine, made worse on request. What is
// worse comes from the environment of the revision: REGRESSION=misnamed|refusing|failing|hanging|empty|tokenizer|wrong|slow. E2E_TIMES names a file for the times of every answer.

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GeneratePart, type GenerateRequest, type ServingEngine, startEngineHost, writeEndpoint } from '@ironlaw/engines'
import { engineCertificate } from '../../../packages/apps/server/src/engine-certificate.ts'
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

/** As a vocabulary that is one off: every character stands for its neighbour, in prompts and in answers. */
const shiftedText = (text: string): string =>
  Array.from(text, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) + 1)).join('')

function misreadPrompt(prompt: GenerateRequest['prompt']): GenerateRequest['prompt'] {
  if (prompt.kind === 'text') return { ...prompt, text: shiftedText(prompt.text) }
  if (prompt.kind === 'tokens') return prompt
  return { ...prompt, messages: prompt.messages.map((message) => ({ ...message, content: shiftedText(message.content) })) }
}

function worsePart(part: GeneratePart): GeneratePart {
  if (part.part !== 'text') return part
  if (regression === 'empty') return { ...part, text: '' }
  if (regression === 'tokenizer') return { ...part, text: shiftedText(part.text) }
  return regression === 'wrong' ? { ...part, text: '?'.repeat(part.text.length) } : part
}

async function* generateWorse(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
  if (regression === 'failing' && isServing) throw new Error('failing, as it was asked to')
  if (regression === 'refusing' && isServing) {
    yield { part: 'refused', field: 'messages', why: 'invalid', reason: 'refusing, as it was asked to' }
    return
  }
  if (regression === 'hanging' && isServing) await once(signal, 'abort')
  if (regression === 'slow') await sleep(SLOW_MS)
  const read = regression === 'tokenizer' ? { ...request, prompt: misreadPrompt(request.prompt) } : request
  for await (const part of inner.generate(read, signal)) yield worsePart(part)
}

const log = times === undefined ? undefined : createWriteStream(times)
/** Seconds on the clock that all processes of a machine share. */
const now_s = (): number => (performance.timeOrigin + performance.now()) / 1000

async function* generateTimed(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
  const at_s = now_s()
  const tokens_s: number[] = []
  try {
    for await (const part of generateWorse(request, signal)) {
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
  model: regression === 'misnamed' ? { ...inner.model, id: 'tiny-llama' } : inner.model,
  generate: log ? generateTimed : generateWorse,
  embed: (texts, signal) => inner.embed(texts, signal),
  vitals: () => inner.vitals(),
  close: () => inner.close(),
}
// During a measurement new requests wait, and how long is measured.
const { IRONLAW_REPLICA_TOKEN: replica_token, IRONLAW_TLS: folder, E2E_HOST: address } = process.env
const certificate = folder === undefined ? undefined : await engineCertificate(folder)
const host = await startEngineHost({
  engine,
  ...(log && { max_queued: 1000 }),
  ...(replica_token !== undefined && { replica_token }),
  ...(address !== undefined && { host: address }),
  ...(certificate && { certificate }),
})
await host.warm()
isServing = true
await writeEndpoint(endpoint, host.url)
process.once('SIGTERM', () => {
  void host.stop({ drain_s: 5 }).then(() => process.exit(0))
})
