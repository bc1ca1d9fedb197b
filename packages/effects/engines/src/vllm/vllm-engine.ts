// A server that speaks OpenAI's API with vLLM's extensions: vLLM itself, SGLang, or the host of this package. Its load is read from its
// metrics. What it cannot answer at all throws; a gateway in front decides about another try.

import { IronlawError } from '@ironlaw/contracts'
import { eventData } from '@ironlaw/contracts/event-stream'
import * as z from 'zod'
import type {
  ChosenToken,
  EmbedResult,
  GeneratePart,
  GenerateRequest,
  Refusal,
  EmbedRefusal,
  ServedModel,
  ServingEngine,
  Usage,
  EngineVitals,
} from '../engine.ts'
import { sampleIn } from './metrics-text.ts'

const MODELS = z.object({ data: z.array(z.object({ id: z.string(), max_model_len: z.int().optional() })).min(1) })
const FAILURE = z.object({ error: z.object({ message: z.string(), param: z.string().nullish(), code: z.unknown() }) })
const USAGE = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int().default(0),
  prompt_tokens_details: z.object({ cached_tokens: z.int().nullish() }).nullish(),
})
const CHANCE = z.object({ token: z.string(), logprob: z.number() })
const CHUNK = z.object({
  choices: z.array(
    z.object({
      text: z.string().nullish(),
      delta: z.object({ content: z.string().nullish() }).optional(),
      finish_reason: z.string().nullish(),
      logprobs: z
        .union([
          z.object({ content: z.array(CHANCE.extend({ top_logprobs: z.array(CHANCE) })) }),
          z.object({
            tokens: z.array(z.string()),
            token_logprobs: z.array(z.number().nullable()),
            top_logprobs: z.array(z.record(z.string(), z.number()).nullable()),
          }),
        ])
        .nullish(),
    }),
  ),
  usage: USAGE.nullish(),
})
const EMBEDDINGS = z.object({ data: z.array(z.object({ embedding: z.array(z.number()) })), usage: USAGE })

type Chunk = z.output<typeof CHUNK>

export type VllmOptions = { readonly url: string; readonly slots: number; readonly token?: string }

/** Asks the server what it serves. */
export async function connectVllm(options: VllmOptions): Promise<VllmEngine> {
  const answer = await fetchEngine(options, '/v1/models', {})
  const [model] = MODELS.parse(await answer.json()).data
  return new VllmEngine(options, { id: model?.id ?? '', context_tokens: model?.max_model_len ?? 0, slots: options.slots })
}

export class VllmEngine implements ServingEngine {
  readonly model: ServedModel
  readonly #options: VllmOptions

  constructor(options: VllmOptions, model: ServedModel) {
    this.#options = options
    this.model = model
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratePart> {
    const nothing: Usage = { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 }
    const chat = request.prompt.kind === 'chat'
    const abortedPart = (): GeneratePart => ({ part: 'ended', reason: 'aborted', usage: { ...nothing, completion_tokens: tokens } })
    let tokens = 0
    const answer = await this.#post(chat ? '/v1/chat/completions' : '/v1/completions', { body: bodyOf(this.model.id, request), signal })
    if (answer === undefined) {
      yield abortedPart()
      return
    }
    if ('why' in answer) {
      yield { part: 'refused', ...answer }
      return
    }
    let reason: 'stop' | 'length' = 'stop'
    let usage = nothing
    for await (const chunk of chunksOf(answer, signal)) {
      const [choice] = chunk.choices
      const text = choice?.text ?? choice?.delta?.content ?? ''
      const chosen = chosenIn(choice?.logprobs)
      // One chunk may hold several tokens; how many is only known from the usage at the end.
      if (text !== '' || chosen.length > 0) yield { part: 'text', text, tokens: (tokens += 1), ...(chosen.length > 0 && { chosen }) }
      if (choice?.finish_reason === 'length') reason = 'length'
      if (chunk.usage) usage = usageOf(chunk.usage)
    }
    yield signal.aborted ? abortedPart() : { part: 'ended', reason, usage }
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<EmbedResult | EmbedRefusal> {
    const body = { model: this.model.id, input: texts, encoding_format: 'float' }
    const answer = await this.#post('/v1/embeddings', { body, signal })
    if (answer === undefined) return { answer: 'embedded', vectors: [], prompt_tokens: 0 }
    if ('why' in answer) return { answer: 'refused', ...answer }
    const { data, usage } = EMBEDDINGS.parse(await answer.json())
    return { answer: 'embedded', vectors: data.map(({ embedding }) => embedding), prompt_tokens: usage.prompt_tokens }
  }

  async vitals(): Promise<EngineVitals> {
    const text = await (await fetchEngine(this.#options, '/metrics', {})).text()
    return {
      running: sampleIn(text, 'vllm:num_requests_running') ?? 0,
      waiting: sampleIn(text, 'vllm:num_requests_waiting') ?? 0,
      // The name before vLLM 0.10.
      kv_share: sampleIn(text, 'vllm:kv_cache_usage_perc') ?? sampleIn(text, 'vllm:gpu_cache_usage_perc') ?? 0,
      prefix_queries: sampleIn(text, 'vllm:prefix_cache_queries_total') ?? 0,
      prefix_hits: sampleIn(text, 'vllm:prefix_cache_hits_total') ?? 0,
    }
  }

  async close(): Promise<void> {}

  /** Undefined when the client left. */
  async #post(
    path: string,
    { body, signal }: { readonly body: object; readonly signal: AbortSignal },
  ): Promise<Response | Refusal | undefined> {
    if (signal.aborted) return undefined
    const answer = await fetchEngine(this.#options, path, { method: 'POST', body: JSON.stringify(body), signal })
    if (answer.ok) return answer
    if (signal.aborted) return undefined
    const failure = FAILURE.safeParse(await answer.json())
    if (answer.status >= 500 || answer.status === 429 || !failure.success)
      throw new IronlawError('IL_UNAVAILABLE', { what: `the engine at ${this.#options.url}`, reason: `status ${answer.status}` })
    const { message, param, code } = failure.data.error
    return {
      field: param ?? '',
      why: code === 'context_length_exceeded' || /maximum context length/.test(message) ? 'too-long' : 'invalid',
      reason: message,
    }
  }
}

async function fetchEngine({ url, token }: VllmOptions, path: string, init: RequestInit): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  try {
    return await fetch(`${url}${path}`, { ...init, headers })
  } catch (cause) {
    // A client that left is no fault; the empty refusal is never shown.
    if (init.signal?.aborted) return Response.error()
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause)
    throw new IronlawError('IL_UNAVAILABLE', { what: `the engine at ${url}`, reason }, { cause })
  }
}

function bodyOf(
  model: string,
  { prompt, sampling, stop, form, alternatives, ignore_end, max_tokens, cache_salt, echo }: GenerateRequest,
): object {
  const chat = prompt.kind === 'chat'
  return {
    model,
    ...(prompt.kind === 'chat' ? { messages: prompt.messages } : { prompt: prompt.kind === 'text' ? prompt.text : prompt.tokens }),
    ...sampling,
    top_k: sampling.top_k === 0 ? -1 : sampling.top_k,
    stop,
    stream: true,
    stream_options: { include_usage: true },
    ignore_eos: ignore_end,
    ...(cache_salt !== undefined && { cache_salt }),
    // Without a limit OpenAI's completions end after 16 tokens.
    ...(max_tokens === undefined ? !chat && { max_tokens: NO_LIMIT } : { max_tokens }),
    ...(form && {
      response_format:
        form.kind === 'json' ? { type: 'json_object' } : { type: 'json_schema', json_schema: { name: 'answer', schema: form.schema } },
    }),
    ...(echo === true && !chat && { echo }),
    ...(alternatives !== undefined && (chat ? { logprobs: true, top_logprobs: alternatives } : { logprobs: alternatives })),
  }
}

const NO_LIMIT = 2 ** 31 - 1

async function* chunksOf(answer: Response, signal: AbortSignal): AsyncGenerator<Chunk> {
  try {
    for await (const data of eventData(answer.body ?? [])) if (data.startsWith('{')) yield CHUNK.parse(JSON.parse(data))
  } catch (cause) {
    if (!signal.aborted) throw cause
  }
}

function chosenIn(logprobs: Chunk['choices'][number]['logprobs']): readonly ChosenToken[] {
  if (!logprobs) return []
  if ('content' in logprobs)
    return logprobs.content.map(({ token, logprob, top_logprobs: others }) => ({
      text: token,
      logprob,
      alternatives: others.map((other) => ({ text: other.token, logprob: other.logprob })),
    }))
  return logprobs.tokens.map((text, index) => ({
    text,
    logprob: logprobs.token_logprobs[index] ?? null,
    alternatives: Object.entries(logprobs.top_logprobs[index] ?? {}).map(([other, logprob]) => ({ text: other, logprob })),
  }))
}

const usageOf = ({ prompt_tokens, completion_tokens, prompt_tokens_details: details }: z.output<typeof USAGE>): Usage => ({
  prompt_tokens,
  completion_tokens,
  cached_tokens: details?.cached_tokens ?? 0,
})
