// What an engine is asked about an item. Texts become tokens here and not in the engine, because only then is it known which tokens are those
// of the answer. Windows, cuts and the handling of spaces are those of lm-evaluation-harness, so that its published scores can be compared.

import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'

export type ModelReading = {
  readonly encode: (text: string) => readonly number[]
  /** Stands before a text that nothing else does: the beginning or the end of a document. */
  readonly prefix_token: number
  /** Of one request; what is longer loses its beginning. */
  readonly most_tokens: number
}

/** Tokens for the engine to echo; those from `from` on count. */
export type LikelihoodRequest = {
  readonly ask: 'likelihood'
  readonly tokens: readonly number[]
  readonly from: number
  /** Tokens that did not fit. */
  readonly cut: number
}

export type GenerateRequest = {
  readonly ask: 'generate'
  readonly input: { readonly prompt: string } | { readonly messages: readonly { readonly role: string; readonly content: string }[] }
  readonly until: readonly string[]
  readonly most_tokens: number
}

export type ItemRequest = LikelihoodRequest | GenerateRequest

/** In the order in which `scoreItem` expects their answers; a prediction needs none. */
export function itemRequests(item: EvaluationItem, reading: ModelReading): readonly ItemRequest[] {
  switch (item.kind) {
    case 'choice':
      return item.choices.map((choice) => continuationRequest(item.prompt, `${item.delimiter}${choice}`, reading))
    case 'continuation':
      return [continuationRequest(item.prompt, item.answer, reading)]
    case 'text':
      return rollingRequests(item.text, reading)
    case 'answer':
    case 'program':
    case 'judged':
      return [generateRequest(item)]
    case 'prediction':
      return []
  }
}

function generateRequest({ prompt = '', messages, until, most_tokens }: EvaluationItem<'answer' | 'program' | 'judged'>): GenerateRequest {
  return { ask: 'generate', input: messages ? { messages } : { prompt }, until, most_tokens }
}

function continuationRequest(prompt: string, continuation: string, reading: ModelReading): LikelihoodRequest {
  const { encode, prefix_token } = reading
  if (prompt === '') {
    const tokens = encode(continuation)
    return lastTokens(tokens[0] === prefix_token ? tokens : [prefix_token, ...tokens], 1, reading)
  }
  // Vocabularies join a space with the word after it.
  const context = prompt.trimEnd()
  return lastTokens(encode(prompt + continuation), encode(context).length, reading)
}

function lastTokens(tokens: readonly number[], from: number, { most_tokens }: ModelReading): LikelihoodRequest {
  const cut = Math.max(0, tokens.length - most_tokens)
  return { ask: 'likelihood', tokens: tokens.slice(cut), from: Math.max(1, from - cut), cut }
}

/** Every token of a text once, in windows that fit: the first begins with the prefix, each other one with what stands before it. */
function rollingRequests(text: string, { encode, prefix_token, most_tokens }: ModelReading): readonly LikelihoodRequest[] {
  const tokens = encode(text)
  const window = most_tokens - 1
  const requests: LikelihoodRequest[] = []
  for (let done = 0; done < tokens.length;) {
    const end = Math.min(tokens.length, done + window)
    // The last window is filled up with tokens that were counted before: more context than one token.
    const start = Math.max(0, end - window - 1)
    const whole = done === 0 ? [prefix_token, ...tokens.slice(0, end)] : tokens.slice(start, end)
    requests.push({ ask: 'likelihood', tokens: whole, from: whole.length - (end - done), cut: 0 })
    done = end
  }
  return requests
}
