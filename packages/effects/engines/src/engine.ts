// The engine interface: what a host, a gateway or a control plane needs from an engine that generates tokens. conformance.ts tests
// implementations.
//
// One answer is a sequence of parts that ends with exactly one `ended` or `refused`. A refusal is a value, since the caller must handle it;
// only a broken engine throws. Launching an engine is not part of it: `exporters` turns a plan into its command line.

export interface ServingEngine {
  readonly model: ServedModel
  /** What `generate` would refuse, where the engine knows without generating: of several prompts none is begun when one is refused. */
  refusal?(request: GenerateRequest): Refusal | undefined
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GeneratePart>
  embed(texts: readonly string[], signal: AbortSignal): Promise<EmbedResult | EmbedRefusal>
  vitals(): Promise<EngineVitals>
  close(): Promise<void>
}

export type ServedModel = {
  readonly id: string
  /** Prompt and answer together. */
  readonly context_tokens: number
  /** Answers that are generated at the same time. */
  readonly slots: number
  /** What computes its answers: scores are compared only where it is the same. Absent where an engine does not say. */
  readonly instrument?: { readonly engine: string; readonly version: string; readonly quantization?: string }
}

export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }

export type Prompt =
  | { readonly kind: 'chat'; readonly messages: readonly Message[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }

export type Sampling = {
  /** 0 takes the most likely token. */
  readonly temperature: number
  readonly top_p: number
  /** 0 is all. */
  readonly top_k: number
  readonly min_p: number
  readonly frequency_penalty: number
  readonly presence_penalty: number
  /** The same seed gives the same text; drawn where absent. */
  readonly seed?: number
}

/** What the text must be: any JSON object, or one that a schema describes. */
export type OutputFormat = { readonly kind: 'json' } | { readonly kind: 'schema'; readonly schema: Readonly<Record<string, unknown>> }

export type GenerateRequest = {
  readonly prompt: Prompt
  /** To the end of the context where absent. */
  readonly max_tokens?: number
  readonly sampling: Sampling
  readonly stop: readonly string[]
  /**
   * Evaluated tokens are reused, and counted as `cached_tokens`, only among requests with the same salt. Requests without a salt share
   * with each other, and never with requests that have one.
   */
  readonly cache_salt?: string
  readonly form?: OutputFormat
  /** Number of alternatives for each token, with log probabilities. */
  readonly alternatives?: number
  /**
   * The answer begins with the prompt: its text, and with `alternatives` its tokens as the model expected them. All of the prompt is then
   * evaluated, whatever is cached.
   */
  readonly echo?: boolean
  /** Goes on after the model's own end, to `max_tokens`: for measurements. */
  readonly ignore_end: boolean
}

export type TokenChance = { readonly text: string; readonly logprob: number }
export type ChosenToken = {
  readonly text: string
  /** Null for the first token of an echoed prompt: nothing stands before it. */
  readonly logprob: number | null
  readonly alternatives: readonly TokenChance[]
}

/** `tokens` are those generated so far; an echoed prompt has none. */
export type GeneratePart =
  | { readonly part: 'text'; readonly text: string; readonly tokens: number; readonly chosen?: readonly ChosenToken[] }
  | GenerationEnd
  | ({ readonly part: 'refused' } & Refusal)

export type GenerationEnd = {
  readonly part: 'ended'
  readonly reason: 'stop' | 'length' | 'aborted'
  readonly usage: Usage
  /** Seconds from the request until the prompt went into a batch; absent where it never did, or the engine does not know. */
  readonly began_s?: number
}

export type Usage = { readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number }

/** `field` is the client's field at fault; `too-long` is a prompt that the context does not hold. */
export type Refusal = { readonly field: string; readonly why: 'too-long' | 'invalid'; readonly reason: string }

export type EmbedResult = { readonly answer: 'embedded'; readonly vectors: readonly (readonly number[])[]; readonly prompt_tokens: number }
export type EmbedRefusal = { readonly answer: 'refused' } & Refusal

export type EngineVitals = {
  readonly running: number
  readonly waiting: number
  /** Share of the KV cache that is held, also by prefixes kept for later. */
  readonly kv_share: number
  /** Prompt tokens looked up in the cache, and those found there, since the start. */
  readonly prefix_queries: number
  readonly prefix_hits: number
}
