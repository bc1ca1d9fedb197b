// An engine without a model: words drawn from the prompt, each step as long as the given law says. It wears the seam's interface, so that
// hosts and gateways can be run against engines of any speed and size; the law usually is the planner's time of one step.

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  ChosenToken,
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
    const pieces = promptPieces(request.prompt)
    const prompt = pieces.join('')
    const prompt_tokens = pieces.length
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
      if (request.echo === true) yield { part: 'text', text: prompt, tokens: 0, ...echoed(pieces, request.alternatives) }
      for (let token = 1; token <= limit; token += 1) {
        await pause(step_s(this.#running))
        if (signal.aborted) {
          yield endPart('aborted', token - 1)
          return
        }
        const text = assembly.add(token)
        const chosen = request.alternatives === undefined ? undefined : [drawnChance(word(token), request.alternatives)]
        if (text !== '' || chosen) yield { part: 'text', text, tokens: token, ...(chosen && { chosen }) }
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
    const count = promptPieces(prompt).length
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

/** The prompt in what counts as its tokens. */
function promptPieces(prompt: Prompt): readonly string[] {
  switch (prompt.kind) {
    case 'text':
      return fours(prompt.text)
    case 'tokens':
      return prompt.tokens.map((token) => `<${token}>`)
    case 'chat':
      return fours(prompt.messages.map(({ role, content }) => `${role}: ${content}\n`).join(''))
  }
}

const fours = (text: string): readonly string[] =>
  Array.from({ length: tokensIn(text) }, (_, index) => text.slice(BYTES_PER_TOKEN * index, BYTES_PER_TOKEN * (index + 1)))

/** Each token's chance follows from all before it, as a model's does, so that equal beginnings have equal chances. */
function echoed(pieces: readonly string[], alternatives: number | undefined): { readonly chosen?: readonly ChosenToken[] } {
  if (alternatives === undefined) return {}
  let before = ''
  return {
    chosen: pieces.map((text, index) => {
      before = hash('sha256', before + text)
      if (index === 0) return { text, logprob: null, alternatives: [] }
      const share = Number.parseInt(before.slice(0, 8), 16) / 2 ** 32
      return share < LIKELIEST_SHARE
        ? drawnChance(text, alternatives)
        : { ...drawnChance(before.slice(8, 11), alternatives), text, logprob: -1 - 9 * share }
    }),
  }
}

/** How many of a prompt's tokens are the likeliest ones. */
const LIKELIEST_SHARE = 0.5

const drawnChance = (text: string, alternatives: number): ChosenToken => ({
  text,
  logprob: -0.5,
  alternatives: Array.from({ length: alternatives }, (_, rank) => ({
    text: rank === 0 ? text : `${text}${rank}`,
    logprob: -0.5 - 2 * rank,
  })),
})
