// llama.cpp in this process, through node-llama-cpp: parallel sequences in one context, whose tokens go through the model in common
// batches. The library splits long prompts into batches between the tokens of others, so a prompt delays a running answer by one batch.

import { randomInt } from 'node:crypto'
import { basename } from 'node:path'
import {
  type ChatWrapper,
  getLlama,
  GgufFileType,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  type LlamaEmbeddingContext,
  type LlamaGrammarEvaluationState,
  LlamaLogLevel,
  type LlamaModel,
  resolveChatWrapper,
  type SequenceEvaluateOptions,
  type Token,
} from 'node-llama-cpp'
import type {
  EmbedResult,
  GeneratePart,
  GenerateRequest,
  Refusal,
  EmbedRefusal,
  ServedModel,
  ServingEngine,
  EngineVitals,
} from '../engine.ts'
import { chosenToken } from './chosen-token.ts'
import { grammarOf } from './grammar.ts'
import { firstToken, nextTokenChances } from './prompt-chances.ts'
import { promptTokens, tokenOf } from './prompt-tokens.ts'
import { type Slot, Slots } from './slots.ts'
import { StepGate } from './step-gate.ts'
import { PartQueue } from '../part-queue.ts'
import { TextAssembly } from '../text-assembly.ts'

export type LlamaOptions = {
  readonly file: string
  readonly id?: string
  /** Per sequence; what the model was trained with where absent. */
  readonly context_tokens?: number
  readonly slots?: number
  readonly batch_tokens?: number
  /** More threads than cores cost a factor of hundreds, because ggml's threads wait for each other without sleeping. */
  readonly threads: number
  readonly embeddings?: boolean
}

const SLOTS = 8
const BATCH_TOKENS = 512
const LONGEST_DEFAULT_CONTEXT = 4096

export async function openLlama(options: LlamaOptions): Promise<LlamaEngine> {
  const { file, threads, slots = SLOTS, batch_tokens = BATCH_TOKENS, embeddings = false } = options
  // Nothing is compiled or fetched: the binary came with the package.
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, maxThreads: threads, logLevel: LlamaLogLevel.error })
  const model = await llama.loadModel({ modelPath: file })
  const size = options.context_tokens ?? Math.min(model.trainContextSize, LONGEST_DEFAULT_CONTEXT)
  const context = await model.createContext({ sequences: slots, contextSize: size, batchSize: batch_tokens, threads })
  const embedding = embeddings ? await model.createEmbeddingContext({ contextSize: size, batchSize: size, threads }) : undefined
  return new LlamaEngine({ llama, model, context, embedding, size }, options.id ?? basename(file, '.gguf'))
}

type OpenedModel = {
  readonly llama: Llama
  readonly model: LlamaModel
  readonly context: LlamaContext
  readonly embedding: LlamaEmbeddingContext | undefined
  readonly size: number
}

type Generation = {
  readonly slot: Slot<LlamaContextSequence>
  readonly request: GenerateRequest
  readonly signal: AbortSignal
  readonly tokens: Token[]
  readonly limit: number
  readonly stop: readonly string[]
  readonly grammar: LlamaGrammarEvaluationState | undefined
  readonly parts: PartQueue<GeneratePart>
  /** Milliseconds of the process. */
  readonly asked_at: number
  began_at: number | undefined
}

type Next = { readonly token: Token; readonly probabilities?: ReadonlyMap<Token, number> }

export class LlamaEngine implements ServingEngine {
  readonly model: ServedModel
  readonly #opened: OpenedModel
  readonly #wrapper: ChatWrapper
  readonly #slots: Slots<LlamaContextSequence, Token[]>
  readonly #waiting: ((slot: Slot<LlamaContextSequence>) => void)[] = []
  readonly #gate = new StepGate()
  readonly #vocabulary: number
  #queries = 0
  #hits = 0

  constructor(opened: OpenedModel, id: string) {
    this.#opened = opened
    this.#wrapper = resolveChatWrapper(opened.model)
    const sequences = Array.from({ length: opened.context.totalSequences }, () => opened.context.getSequence())
    this.#slots = new Slots(sequences, (sequence, prompt) => sequence.compareContextTokens(prompt).firstDifferentIndex)
    // The library keeps the last place of a sequence free.
    const context_tokens = Math.min(opened.size, opened.context.contextSize) - 1
    this.model = { id, context_tokens, slots: sequences.length, instrument: instrumentOf(opened) }
    this.#vocabulary = opened.model.fileInfo.metadata.tokenizer.ggml.tokens.length
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
    const asked_at = performance.now()
    const { tokens, stop } = promptTokens(this.#opened.model, this.#wrapper, request.prompt)
    const room = this.model.context_tokens - tokens.length
    const refusal = this.#refusal(request, tokens.length)
    if (refusal) {
      yield { part: 'refused', ...refusal }
      return
    }
    const grammar = request.form && (await grammarOf(this.#opened.llama, this.#opened.model, request.form))
    if (grammar && 'refused' in grammar) {
      yield { part: 'refused', field: 'response_format', why: 'invalid', reason: grammar.refused }
      return
    }
    const slot = await this.#waitForSlot(tokens, { salt: request.cache_salt, signal })
    if (!slot) {
      yield { part: 'ended', reason: 'aborted', usage: { prompt_tokens: tokens.length, cached_tokens: 0, completion_tokens: 0 } }
      return
    }
    const limit = Math.min(request.max_tokens ?? room, room)
    const leaving = new AbortController()
    const parts = new PartQueue<GeneratePart>()
    const generation = {
      slot,
      request,
      tokens,
      limit,
      stop: [...stop, ...request.stop],
      grammar,
      parts,
      asked_at,
      began_at: undefined,
    }
    this.#gate.enter()
    const made = this.#generateTokens({ ...generation, signal: AbortSignal.any([signal, leaving.signal]) }).finally(() => {
      this.#gate.leave()
      this.#free(slot)
    })
    made.then(
      () => parts.end(),
      (cause: unknown) => parts.fail(cause),
    )
    try {
      yield* parts
    } finally {
      // A reader that stops early leaves like a client; the place is free when the loop has noticed.
      leaving.abort()
      await made
    }
  }

  refusal(request: GenerateRequest): Refusal | undefined {
    return this.#refusal(request, promptTokens(this.#opened.model, this.#wrapper, request.prompt).tokens.length)
  }

  #refusal({ prompt }: GenerateRequest, count: number): Refusal | undefined {
    const field = prompt.kind === 'chat' ? 'messages' : 'prompt'
    if (count === 0) return { field, why: 'invalid', reason: 'the prompt has no tokens' }
    const unknown = prompt.kind === 'tokens' ? prompt.tokens.find((id) => id >= this.#vocabulary) : undefined
    if (unknown !== undefined)
      return { field, why: 'invalid', reason: `token id ${unknown} is outside the vocabulary of ${this.#vocabulary}` }
    if (count < this.model.context_tokens) return undefined
    return {
      field,
      why: 'too-long',
      reason: `the prompt has ${count} tokens, the context takes ${this.model.context_tokens} with the answer`,
    }
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<EmbedResult | EmbedRefusal> {
    const { embedding, model } = this.#opened
    if (!embedding) return { answer: 'refused', field: 'model', why: 'invalid', reason: 'this engine was started without embeddings' }
    const all = texts.map((text) => model.tokenize(text))
    const vectors: (readonly number[])[] = []
    for (const tokens of all) {
      if (tokens.length === 0) return { answer: 'refused', field: 'input', why: 'invalid', reason: 'an input has no tokens' }
      if (tokens.length > this.model.context_tokens)
        return {
          answer: 'refused',
          field: 'input',
          why: 'too-long',
          reason: `an input has ${tokens.length} tokens, the context takes ${this.model.context_tokens}`,
        }
      if (signal.aborted) break
      vectors.push((await embedding.getEmbeddingFor(tokens)).vector)
    }
    return { answer: 'embedded', vectors, prompt_tokens: all.reduce((sum, tokens) => sum + tokens.length, 0) }
  }

  async vitals(): Promise<EngineVitals> {
    const held = this.#slots.all.reduce((sum, sequence) => sum + sequence.nextTokenIndex, 0)
    return {
      running: this.#slots.running,
      waiting: this.#waiting.length,
      kv_share: held / (this.model.slots * this.#opened.context.contextSize),
      prefix_queries: this.#queries,
      prefix_hits: this.#hits,
    }
  }

  async close(): Promise<void> {
    await this.#opened.llama.dispose()
  }

  /** Waits in turn for a sequence; undefined when the client leaves before. */
  async #waitForSlot(
    prompt: Token[],
    { salt, signal }: { readonly salt: string | undefined; readonly signal: AbortSignal },
  ): Promise<Slot<LlamaContextSequence> | undefined> {
    if (signal.aborted) return undefined
    const free = this.#slots.take(prompt, salt)
    if (free) return free
    const { promise, resolve } = Promise.withResolvers<Slot<LlamaContextSequence> | undefined>()
    const turn = (slot: Slot<LlamaContextSequence>): void => resolve(slot)
    const leave = (): void => {
      const at = this.#waiting.indexOf(turn)
      if (at !== -1) this.#waiting.splice(at, 1)
      resolve(undefined)
    }
    this.#waiting.push(turn)
    signal.addEventListener('abort', leave, { once: true })
    const slot = await promise
    signal.removeEventListener('abort', leave)
    return slot
  }

  #free(slot: Slot<LlamaContextSequence>): void {
    this.#slots.free(slot)
    const next = this.#waiting.shift()
    if (!next) return
    slot.busy = true
    next(slot)
  }

  /** Evaluates all of the prompt that is not in the sequence but its last batch, and looks for the client's leaving in between. */
  async #prefill(generation: Generation): Promise<number> {
    const { slot, request, tokens, signal } = generation
    const { sequence, place } = slot
    // Nothing of another salt is kept, however similar: neither the count nor the time of this answer may reveal what the sequence held.
    // A prompt that is echoed with its log probabilities needs those of every place, and the cache does not hold them.
    const kept = slot.salt === request.cache_salt && !isScored(request) ? tokens.slice(0, -1) : []
    // In step as well: erasing waits for the context, and one after another would each wait for a batch of the others.
    await this.#inStep(place, () => sequence.adaptStateToTokens(kept, false))
    slot.salt = request.cache_salt
    const cached = sequence.nextTokenIndex
    this.#queries += tokens.length
    this.#hits += cached
    // What is left of a batch after one token of every other sequence.
    const share = Math.max(1, this.#opened.context.batchSize - this.model.slots)
    if (request.echo === true) await this.#echo(generation, share)
    for (let at = sequence.nextTokenIndex; tokens.length - at > share && !signal.aborted; at += share)
      await this.#evaluate(generation, () => sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, at + share)))
    return cached
  }

  /** The prompt's own text, and what the model expected of its tokens: all but the last go through the model. */
  async #echo(generation: Generation, share: number): Promise<void> {
    const { slot, request, tokens, signal, parts } = generation
    const { model } = this.#opened
    const [first] = tokens
    const text = request.prompt.kind === 'text' ? request.prompt.text : model.detokenize(tokens, true)
    if (!isScored(request) || first === undefined) return parts.push({ part: 'text', text, tokens: 0 })
    const chosen = [firstToken(model, first)]
    const last = tokens.length - 1
    for (let from = 0; from < last && !signal.aborted; from += share) {
      const some = { tokens, from, to: Math.min(last, from + share), alternatives: request.alternatives ?? 0 }
      chosen.push(...(await this.#evaluate(generation, () => nextTokenChances(slot.sequence, model, some))))
    }
    if (!signal.aborted) parts.push({ part: 'text', text, tokens: 0, chosen })
  }

  #evaluate<T>(generation: Generation, ask: () => Promise<T>): Promise<T> {
    return this.#inStep(generation.slot.place, () => {
      generation.began_at ??= performance.now()
      return ask()
    })
  }

  async #inStep<T>(place: number, ask: () => Promise<T>): Promise<T> {
    await this.#gate.waitTurn(place)
    try {
      return await ask()
    } finally {
      this.#gate.finishStep()
    }
  }

  /** Requests tokens without waiting for their reader. */
  async #generateTokens(generation: Generation): Promise<void> {
    const { request, signal, tokens, limit, parts } = generation
    const { model } = this.#opened
    const cached = await this.#prefill(generation)
    const assembly = new TextAssembly((some, before) => model.detokenize(some.map(tokenOf), false, before.map(tokenOf)), generation.stop)
    let count = 0
    let reason: 'stop' | 'length' | 'aborted' = signal.aborted ? 'aborted' : limit === 0 ? 'length' : 'stop'
    if (reason === 'stop') {
      const drawn = this.#tokens(generation)
      while (true) {
        const { done, value: next } = await this.#evaluate(generation, () => drawn.next())
        if (done === true) break
        if (signal.aborted) {
          reason = 'aborted'
          break
        }
        count += 1
        const text = assembly.add(next.token)
        const { probabilities } = next
        const chosen = probabilities && chosenToken(model, { token: next.token, probabilities }, request.alternatives ?? 0)
        if (text !== '' || chosen) parts.push({ part: 'text', text, tokens: count, ...(chosen && { chosen: [chosen] }) })
        if (assembly.stopped) break
        if (count === limit) {
          reason = 'length'
          break
        }
        if (parts.full) await parts.waitForRoom()
      }
      await drawn.return()
      const rest = reason === 'aborted' ? '' : assembly.end()
      if (rest !== '') parts.push({ part: 'text', text: rest, tokens: count })
    }
    const { began_at, asked_at } = generation
    parts.push({
      part: 'ended',
      reason,
      usage: { prompt_tokens: tokens.length, cached_tokens: cached, completion_tokens: count },
      ...(began_at !== undefined && { began_s: (began_at - asked_at) / 1000 }),
    })
  }

  #tokens({ slot: { sequence }, request, tokens, grammar }: Generation): AsyncGenerator<Next, void, void> {
    const { temperature, top_p: topP, top_k: topK, min_p: minP, seed = randomInt(2 ** 31) } = request.sampling
    const { frequency_penalty: frequencyPenalty, presence_penalty: presencePenalty } = request.sampling
    const penalised = frequencyPenalty !== 0 || presencePenalty !== 0
    const rest = tokens.slice(sequence.nextTokenIndex)
    const options: SequenceEvaluateOptions = {
      temperature,
      topP,
      topK,
      minP,
      seed,
      yieldEogToken: request.ignore_end,
      ...(penalised && {
        repeatPenalty: { punishTokens: () => sequence.contextTokens.slice(tokens.length), penalty: 1, frequencyPenalty, presencePenalty },
      }),
      ...(grammar && { grammarEvaluationState: grammar }),
    }
    return request.alternatives === undefined
      ? sequence.evaluateWithMetadata(rest, {}, options)
      : sequence.evaluateWithMetadata(rest, { probabilities: true }, options)
  }
}

/** Whether the prompt's own log probabilities are requested. */
const isScored = ({ echo, alternatives }: GenerateRequest): boolean => echo === true && alternatives !== undefined

/** The type of most weights is named in the file: "q8_0", "f32". */
function instrumentOf({ llama, model }: OpenedModel): NonNullable<ServedModel['instrument']> {
  const { file_type } = model.fileInfo.metadata.general
  const quantization = file_type === undefined ? undefined : GgufFileType[file_type]?.replace(/^(?:MOSTLY|ALL)_/, '').toLowerCase()
  return { engine: 'llama.cpp', version: llama.llamaCppRelease.release, ...(quantization !== undefined && { quantization }) }
}
