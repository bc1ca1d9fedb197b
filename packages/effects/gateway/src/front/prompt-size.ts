// How much prompt a request holds, and how many prompts: an engine answers each prompt of a list, so money and tokens are set aside for each.

import { type ApiError, apiError } from '@ironlaw/contracts'
import type { Endpoint } from './endpoints.ts'
import { isObject, type JsonObject } from './json.ts'

export type PromptSize = {
  /** Bounds the tokens of all prompts from above: no token is shorter than a byte, and the frame of a chat is added. */
  readonly bytes: number
  readonly prompts: number
}

/** Tokens that a chat template puts around one message, at the most. */
const FRAME_TOKENS = 16
/** What chat templates write into the prompt in addition to the messages. */
const TEMPLATE_FIELDS = ['tools', 'functions', 'response_format', 'documents', 'chat_template', 'chat_template_kwargs']
/** Text is estimated at this many bytes a token, so a token id counts as this many bytes, which is one token. */
const TOKEN_BYTES = 4
/** Engines hold token ids in signed 32-bit integers; the engine knows which of them its vocabulary has. */
const TOKEN_IDS = 2 ** 31

export const invalid = (param: string, expected: string): ApiError => apiError('invalid_value', `"${param}": ${expected}`, { param })

export function promptSize(endpoint: Endpoint, fields: JsonObject): PromptSize | ApiError {
  if (endpoint === 'chat') return chatSize(fields)
  const param = endpoint === 'embeddings' ? 'input' : 'prompt'
  const prompt = fields[param]
  if (typeof prompt === 'string') return { bytes: Buffer.byteLength(prompt), prompts: 1 }
  return (
    (Array.isArray(prompt) ? listSize(prompt) : undefined) ??
    invalid(
      param,
      'text, a list of texts, token ids (whole numbers from 0 below 2^31) or a list of lists of them is expected, none of it empty',
    )
  )
}

/** Undefined where it is neither texts, nor token ids, nor lists of token ids. */
function listSize(list: readonly unknown[]): PromptSize | undefined {
  const [first] = list
  if (typeof first === 'number') return list.every(isTokenId) ? { bytes: TOKEN_BYTES * list.length, prompts: 1 } : undefined
  let bytes = 0
  for (const one of list) {
    if (typeof first === 'string' && typeof one === 'string') bytes += Buffer.byteLength(one) + 1
    else if (Array.isArray(first) && Array.isArray(one) && one.length > 0 && one.every(isTokenId)) bytes += TOKEN_BYTES * one.length
    else return undefined
  }
  return list.length === 0 ? undefined : { bytes, prompts: list.length }
}

const isTokenId = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < TOKEN_IDS

function chatSize(fields: JsonObject): PromptSize | ApiError {
  const { messages } = fields
  if (!Array.isArray(messages) || messages.length === 0) return invalid('messages', 'a list with at least one message is expected')
  let bytes = 0
  for (const message of messages) {
    if (!isObject(message) || typeof message['role'] !== 'string') return invalid('messages', 'each message needs a role')
    bytes += FRAME_TOKENS + contentBytes(message)
  }
  for (const name of TEMPLATE_FIELDS) if (fields[name] !== undefined) bytes += Buffer.byteLength(JSON.stringify(fields[name]))
  return { bytes, prompts: 1 }
}

/** The usual message is a role and a text; whatever else one holds may end up in the prompt. */
const contentBytes = (message: JsonObject): number =>
  typeof message['content'] === 'string' && Object.keys(message).length === 2
    ? Buffer.byteLength(message['content'])
    : Buffer.byteLength(JSON.stringify(message))
