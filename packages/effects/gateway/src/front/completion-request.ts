// What the gateway reads of a request's body. The rest is the engine's business and passes unseen.

import { type ApiError, apiError } from '@ironlaw/contracts'
import { bodyShape } from './body-shape.ts'
import { isObject, type JsonObject, parseJson } from './json.ts'
import type { Endpoint } from './endpoints.ts'
import { invalid, promptSize } from './prompt-size.ts'
import type { ModelEntry } from '@ironlaw/contracts/gateway-snapshot'

export type CompletionRequest = {
  readonly endpoint: Endpoint
  readonly model: string
  readonly stream: boolean
  /** Whether the client requested usage in the stream. */
  readonly wantsUsage: boolean
  readonly session: string | undefined
  /** The requested limit of answer tokens; undefined where the client set none. */
  readonly maxOutput: number | undefined
  /** Requested answers in total, to all prompts of a list. */
  readonly answers: number
  /** Bytes of all prompts, which bound their tokens from above. */
  readonly promptBytes: number
  /** The client's own division of what its tenant may reuse. */
  readonly cacheSalt: string | undefined
  readonly fields: JsonObject
}

/** OpenAI's own limit of `n`. */
const MOST_ANSWERS = 128
const LONGEST_MODEL = 256
const LONGEST_SALT = 1024

export function parseRequest(endpoint: Endpoint, body: Buffer): CompletionRequest | ApiError {
  const shape = bodyShape(body)
  if ('problem' in shape) return apiError('invalid_json', `the body ${shape.problem}`)
  const fields = parseJson(body.toString('utf8'))
  if (fields === undefined) return apiError('invalid_json', 'the body is not JSON')
  if (!isObject(fields)) return apiError('invalid_json', 'the body is not a JSON object')
  // Engines differ in which of the two they take, and what is checked here must be what is served there.
  if (Object.keys(fields).length !== shape.fields) return apiError('invalid_json', 'the body has a field twice')
  const { model, stream = false, stream_options: options, user } = fields
  if (typeof model !== 'string' || model === '' || model.length > LONGEST_MODEL) return invalid('model', 'a name is expected')
  if (stream !== null && typeof stream !== 'boolean') return invalid('stream', 'true or false is expected')
  if (options !== undefined && options !== null && !isObject(options)) return invalid('stream_options', 'an object is expected')
  const perPrompt = answersPerPrompt(fields)
  if (typeof perPrompt !== 'number') return perPrompt
  const limit = fields['max_completion_tokens'] ?? fields['max_tokens'] ?? undefined
  if (limit !== undefined && (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0))
    return invalid('max_tokens', 'a whole number is expected')
  const cacheSalt = fields['cache_salt'] ?? undefined
  if (cacheSalt !== undefined && (typeof cacheSalt !== 'string' || cacheSalt === '' || cacheSalt.length > LONGEST_SALT))
    return invalid('cache_salt', `text of 1 to ${LONGEST_SALT} characters is expected`)
  const size = promptSize(endpoint, fields)
  if ('status' in size) return size
  return {
    endpoint,
    model,
    stream: endpoint !== 'embeddings' && stream === true,
    wantsUsage: isObject(options) && options['include_usage'] === true,
    session: typeof user === 'string' && user !== '' ? user : undefined,
    maxOutput: endpoint === 'embeddings' ? 0 : limit,
    answers: perPrompt * size.prompts,
    promptBytes: size.bytes,
    cacheSalt,
    fields,
  }
}

/** Answers requested for each prompt; those generated only to choose the best of (`best_of`) count as well. */
function answersPerPrompt({ n, best_of: best }: JsonObject): number | ApiError {
  const counts: number[] = []
  for (const [param, value] of [
    ['n', n ?? 1],
    ['best_of', best ?? 1],
  ] as const) {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MOST_ANSWERS)
      return invalid(param, `a whole number from 1 to ${MOST_ANSWERS} is expected`)
    counts.push(value)
  }
  return Math.max(...counts)
}

/** Text whose leading blocks decide where a prefix is cached; it starts with what every turn of a conversation shares. */
export const prefixText = ({ endpoint, fields }: CompletionRequest): string => {
  const prompt = endpoint === 'chat' ? fields['messages'] : fields['prompt']
  return typeof prompt === 'string' ? prompt : JSON.stringify(prompt ?? '')
}

/** A rule of thumb for English in current vocabularies; only estimates rest on it, never a bill. */
const BYTES_PER_TOKEN = 4

export const estimatedPrompt = ({ promptBytes }: CompletionRequest): number => Math.ceil(promptBytes / BYTES_PER_TOKEN)

export const mostOutput = ({ maxOutput, answers, endpoint }: CompletionRequest, model: ModelEntry): number =>
  endpoint === 'embeddings' ? 0 : answers * Math.min(maxOutput ?? model.max_output_tokens, model.context_tokens)

type Changes = {
  readonly rename: string | undefined
  readonly cap: number | undefined
  /** Undefined for engines that refuse the field. */
  readonly salt: string | undefined
}

/** The body for the engine: the client's own bytes with what must be added in front, or rewritten where a field must change. */
export function upstreamBody(body: Buffer, request: CompletionRequest, { rename, cap, salt }: Changes): Buffer {
  const { fields, stream, wantsUsage, maxOutput } = request
  const capped = cap !== undefined && maxOutput === undefined ? cap : undefined
  const usage = stream && !wantsUsage
  const isFree = (field: string): boolean => !Object.hasOwn(fields, field)
  const fresh =
    rename === undefined && fields['stream_options'] === undefined && (capped === undefined || isFree('max_tokens')) && isFree('cache_salt')
  if (fresh && body[0] === OPEN) {
    const added =
      `{${usage ? '"stream_options":{"include_usage":true},' : ''}${capped === undefined ? '' : `"max_tokens":${capped},`}` +
      (salt === undefined ? '' : `"cache_salt":"${salt}",`)
    return added.length === 1 ? body : Buffer.concat([Buffer.from(added, 'latin1'), body.subarray(1)])
  }
  const options = isObject(fields['stream_options']) ? fields['stream_options'] : {}
  return Buffer.from(
    JSON.stringify({
      ...fields,
      ...(rename === undefined ? {} : { model: rename }),
      ...(usage ? { stream_options: { ...options, include_usage: true } } : {}),
      ...(capped === undefined ? {} : { max_tokens: capped }),
      // Without a value the field is left out: a client's own would cross to other tenants.
      cache_salt: salt,
    }),
  )
}

const OPEN = 0x7b
