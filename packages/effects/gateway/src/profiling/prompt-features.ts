// What is counted of a request: the script of its last message, and whether it offers tools.

import type { CompletionRequest } from '../front/completion-request.ts'
import { isObject } from '../front/json.ts'

/** Undefined for token ids and for what has no text, such as an image alone. */
export function lastPrompt({ endpoint, fields }: CompletionRequest): string | undefined {
  if (endpoint !== 'chat') return lastText(fields[endpoint === 'embeddings' ? 'input' : 'prompt'])
  const { messages } = fields
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  return isObject(last) ? lastText(last['content']) : undefined
}

function lastText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return undefined
  const last: unknown = value.findLast((part) => typeof part === 'string' || (isObject(part) && typeof part['text'] === 'string'))
  if (typeof last === 'string') return last
  return isObject(last) && typeof last['text'] === 'string' ? last['text'] : undefined
}

export function offersTools({ fields }: CompletionRequest): boolean {
  const { tools, functions } = fields
  return (Array.isArray(tools) && tools.length > 0) || (Array.isArray(functions) && functions.length > 0)
}
