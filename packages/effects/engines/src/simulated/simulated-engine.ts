// An engine without a model: words drawn from the prompt, each step as long as the given law says. It wears the seam's interface, so that
// hosts and gateways can be run against engines of any speed and size; the law usually is the planner's time of one step.

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  EmbedResult,
  GeneratePart,
  GenerateRequest,
  Prompt,
  Refusal,
  EmbedRefusal,
  ServedModel,
  ServingEngine,
  EngineVitals,
} from '../engine.ts'
import { TextAssembly } from '../text-assembly.ts'

export type SimulatedOptions = {
  readonly model: ServedModel
  /** Seconds of one step with `running` answers in the batch. */
  readonly step_s: (running: number) => number
  readonly prefill_s_per_token: number
}

const BYTES_PER_TOKEN = 4
const VECTOR = 16

export class SimulatedEngine implements ServingEngine {
  readonly model: ServedModel
  readonly #options: SimulatedOptions
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(options: SimulatedOptions) {
    this.model = options.model
    this.#options = options
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
    const { step_s, prefill_s_per_token } = this.#options
    const prompt = promptText(request.prompt)
    const prompt_tokens = tokensIn(prompt)
    const room = this.model.context_tokens - prompt_tokens
    const refusal = this.refusal(request)
    if (refusal) {
      yield { part: 'refused', ...refusal }
      return
    }
    const asked = performance.now()
    let began: { readonly began_s?: number } = {}
    const endPart = (reason: 'stop' | 'length' | 'aborted', completion_tokens: number): GeneratePart => ({
      part: 'ended',
      reason,
      usage: { prompt_tokens, cached_tokens: 0, completion_tokens },
      ...began,
    })
    if (!(await this.#waitForPlace(signal))) {
      yield endPart('aborted', 0)
      return
    }
    began = { began_s: (performance.now() - asked) / 1000 }
    try {
      const limit = Math.min(request.max_tokens ?? room, room)
      const { seed = 0, temperature } = request.sampling
      const word = (token: number): string => `${hash('sha256', `${prompt} ${temperature > 0 ? seed : ''} ${token}`).slice(0, 3)} `
      const assembly = new TextAssembly((tokens) => tokens.map(word).join(''), request.stop)
      await pause(prefill_s_per_token * prompt_tokens)
      for (let token = 1; token <= limit; token += 1) {
        await pause(step_s(this.#running))
        if (signal.aborted) {
          yield endPart('aborted', token - 1)
          return
        }
        const text = assembly.add(token)
        if (text !== '') yield { part: 'text', text, tokens: token }
        if (assembly.stopped) {
          yield endPart('stop', token)
          return
        }
      }
      const rest = assembly.end()
      if (rest !== '') yield { part: 'text', text: rest, tokens: limit }
      yield endPart('length', limit)
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  refusal({ prompt }: GenerateRequest): Refusal | undefined {
    const count = tokensIn(promptText(prompt))
    if (count < this.model.context_tokens) return undefined
    return { field: 'prompt', why: 'too-long', reason: `the prompt has ${count} tokens` }
  }

  async embed(texts: readonly string[]): Promise<EmbedResult | EmbedRefusal> {
    const vectors = texts.map((text) => [...Buffer.from(hash('sha256', text), 'hex').subarray(0, VECTOR)].map((byte) => byte / 128 - 1))
    const prompt_tokens = texts.reduce((sum, text) => sum + tokensIn(text), 0)
    return { answer: 'embedded', vectors, prompt_tokens }
  }

  async vitals(): Promise<EngineVitals> {
    const kv_share = this.#running / this.model.slots
    return { running: this.#running, waiting: this.#waiting.length, kv_share, prefix_queries: 0, prefix_hits: 0 }
  }

  async close(): Promise<void> {}

  /** Whether a place was had before the client left. */
  async #waitForPlace(signal: AbortSignal): Promise<boolean> {
    while (this.#running >= this.model.slots && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const leave = (): void => {
        const at = this.#waiting.indexOf(resolve)
        if (at !== -1) this.#waiting.splice(at, 1)
        resolve()
      }
      this.#waiting.push(resolve)
      signal.addEventListener('abort', leave, { once: true })
      await promise
      signal.removeEventListener('abort', leave)
    }
    if (signal.aborted) return false
    this.#running += 1
    return true
  }
}

const tokensIn = (text: string): number => Math.ceil(text.length / BYTES_PER_TOKEN)

const pause = (seconds: number): Promise<void> => sleep(1000 * seconds)

function promptText(prompt: Prompt): string {
  switch (prompt.kind) {
    case 'text':
      return prompt.text
    case 'tokens':
      return prompt.tokens.map((token) => `<${token}>`).join('')
    case 'chat':
      return prompt.messages.map(({ role, content }) => `${role}: ${content}\n`).join('')
  }
}
