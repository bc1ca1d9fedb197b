// What a host understands of OpenAI's requests, as work for an engine. Fields it does not know are ignored, as OpenAI's clients expect;
// those that would change the answer and that it cannot keep are refused by name.

import { type ApiError, apiError } from '@ironlaw/contracts'
import { type Issues, readValue } from '@ironlaw/contracts/read-value'
import * as z from 'zod'
import type { OutputFormat, GenerateRequest, Message, Prompt } from '../engine.ts'

export type Operation = 'chat' | 'text_completion'

export type GenerateCall = {
  readonly operation: Operation
  readonly model: string
  /** One for each choice of the answer, in order. */
  readonly requests: readonly GenerateRequest[]
  readonly stream: boolean
  readonly include_usage: boolean
}

export type EmbedCall = { readonly model: string; readonly texts: readonly string[]; readonly base64: boolean }

const MOST_CHOICES = 16
const MOST_ALTERNATIVES = 20
const MOST_STOPS = 16
const LONGEST_SALT = 1024
const MOST_INPUTS = 2048
/** More than any client sends; without a bound every wrong element of a long list would be a problem of its own in memory. */
const MOST_MESSAGES = 10_000
const MOST_PARTS = 1000
/** What llama.cpp's ids fit in; the engine knows its own vocabulary. */
const LARGEST_TOKEN = 2 ** 31 - 1

const number = (least: number, most: number, absent: number) =>
  z
    .number()
    .min(least)
    .max(most)
    .nullish()
    .transform((value) => value ?? absent)

const absentIfNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? undefined)

/** A list whose length is checked before any of its elements is. */
const listOf = <Schema extends z.ZodType>(element: Schema, { least = 0, most }: { readonly least?: number; readonly most: number }) =>
  z.array(z.unknown()).min(least).max(most).pipe(z.array(element))

const unsupportedField = (what: string) =>
  z
    .unknown()
    .optional()
    .refine((value) => value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0), {
      message: `${what} are not supported by this engine`,
    })

const schemaObject = z.record(z.string(), z.unknown())

const shared = {
  model: z.string().min(1),
  max_tokens: absentIfNull(z.int().min(0)),
  max_completion_tokens: absentIfNull(z.int().min(0)),
  temperature: number(0, 2, 1),
  top_p: number(0, 1, 1),
  top_k: number(-1, 1_000_000, 0),
  min_p: number(0, 1, 0),
  frequency_penalty: number(-2, 2, 0),
  presence_penalty: number(-2, 2, 0),
  seed: absentIfNull(
    z
      .int()
      .min(0)
      .max(2 ** 32 - 1),
  ),
  n: absentIfNull(z.int().min(1).max(MOST_CHOICES)),
  stop: absentIfNull(z.union([z.string().transform((stop) => [stop]), listOf(z.string().min(1), { most: MOST_STOPS })])),
  stream: absentIfNull(z.boolean()),
  stream_options: absentIfNull(z.object({ include_usage: absentIfNull(z.boolean()) })),
  response_format: absentIfNull(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({ type: z.literal('json_schema'), json_schema: z.object({ schema: schemaObject }) }),
    ]),
  ),
  ignore_eos: absentIfNull(z.boolean()),
  /** vLLM's name and rule: not empty where it is given. */
  cache_salt: absentIfNull(z.string().min(1).max(LONGEST_SALT)),
  logit_bias: unsupportedField('token biases'),
}

const text = z.union([
  z.string(),
  listOf(z.object({ type: z.literal('text', { message: 'only text is understood' }), text: z.string() }), { most: MOST_PARTS }).transform(
    (parts) => parts.map((part) => part.text).join(''),
  ),
])

const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content: text }).transform(({ content }): Message => ({ role: 'system', content })),
  z.object({ role: z.literal('user'), content: text }).transform(({ content }): Message => ({ role: 'user', content })),
  z
    .object({ role: z.literal('assistant'), content: text.nullish() })
    .transform(({ content }): Message => ({ role: 'assistant', content: content ?? '' })),
])

const chat = z.object({
  ...shared,
  messages: listOf(message, { least: 1, most: MOST_MESSAGES }),
  logprobs: absentIfNull(z.boolean()),
  top_logprobs: absentIfNull(z.int().min(0).max(MOST_ALTERNATIVES)),
  tools: unsupportedField('tools'),
})

const isTokenList = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every((id) => Number.isInteger(id) && id >= 0 && id <= LARGEST_TOKEN)
/** One problem for the whole list: a body has room for two million ids. */
const tokens = z.custom<readonly number[]>(isTokenList, { message: 'a list of token ids is expected' })

const completion = z.object({
  ...shared,
  prompt: z.union([
    z.string().transform((one): Prompt[] => [{ kind: 'text', text: one }]),
    tokens.transform((one): Prompt[] => [{ kind: 'tokens', tokens: one }]),
    listOf(z.string(), { least: 1, most: MOST_CHOICES }).transform((all) => all.map((one): Prompt => ({ kind: 'text', text: one }))),
    listOf(tokens, { least: 1, most: MOST_CHOICES }).transform((all) => all.map((one): Prompt => ({ kind: 'tokens', tokens: one }))),
  ]),
  logprobs: absentIfNull(z.int().min(0).max(MOST_ALTERNATIVES)),
  echo: absentIfNull(z.boolean()),
  suffix: unsupportedField('suffixes'),
})

const embeddings = z.object({
  model: z.string().min(1),
  input: z.union([z.string().transform((one) => [one]), listOf(z.string(), { least: 1, most: MOST_INPUTS })]),
  encoding_format: absentIfNull(z.enum(['float', 'base64'])),
})

type Shared = Omit<z.output<typeof chat>, 'messages' | 'logprobs' | 'top_logprobs' | 'tools'>

export function chatCall(body: unknown): GenerateCall | ApiError {
  const { success, data, error } = readValue(chat, body)
  if (!success) return validationError(error)
  return generateCall('chat', data, {
    prompts: [{ kind: 'chat', messages: data.messages }],
    alternatives: data.logprobs ? (data.top_logprobs ?? 0) : undefined,
  })
}

export function completionCall(body: unknown): GenerateCall | ApiError {
  const { success, data, error } = readValue(completion, body)
  if (!success) return validationError(error)
  return generateCall('text_completion', data, { prompts: data.prompt, alternatives: data.logprobs, echo: data.echo === true })
}

export function embedCall(body: unknown): EmbedCall | ApiError {
  const { success, data, error } = readValue(embeddings, body)
  return success ? { model: data.model, texts: data.input, base64: data.encoding_format === 'base64' } : validationError(error)
}

type PromptPart = { readonly prompts: readonly Prompt[]; readonly alternatives: number | undefined; readonly echo?: boolean }

function generateCall(operation: Operation, data: Shared, { prompts, alternatives, echo = false }: PromptPart): GenerateCall | ApiError {
  const { n = 1, seed, stop = [], stream = false, stream_options, model, response_format: format } = data
  const { temperature, top_p, min_p, frequency_penalty, presence_penalty } = data
  const max_tokens = data.max_completion_tokens ?? data.max_tokens ?? (operation === 'text_completion' ? COMPLETION_TOKENS : undefined)
  const form = formOf(format)
  const requests = prompts.flatMap((prompt) =>
    Array.from({ length: n }, (_, choice): GenerateRequest => ({
      prompt,
      stop,
      ignore_end: data.ignore_eos === true,
      sampling: {
        temperature,
        top_p,
        top_k: Math.max(0, data.top_k),
        min_p,
        frequency_penalty,
        presence_penalty,
        // Choices of one request differ, and each is the same again with the same seed.
        ...(seed !== undefined && { seed: seed + choice }),
      },
      ...(max_tokens !== undefined && { max_tokens }),
      ...(data.cache_salt !== undefined && { cache_salt: data.cache_salt }),
      ...(form && { form }),
      ...(alternatives !== undefined && { alternatives }),
      ...(echo && { echo }),
    })),
  )
  if (requests.length > MOST_CHOICES)
    return apiError('invalid_value', `"n": at most ${MOST_CHOICES} answers to one request`, { param: 'n' })
  return { operation, model, requests, stream, include_usage: stream_options?.include_usage === true }
}

/** OpenAI's default for /v1/completions. */
const COMPLETION_TOKENS = 16

function formOf(format: Shared['response_format']): OutputFormat | undefined {
  if (format?.type === 'json_object') return { kind: 'json' }
  return format?.type === 'json_schema' ? { kind: 'schema', schema: format.json_schema.schema } : undefined
}

function validationError(error: Issues): ApiError {
  const [issue] = error.issues
  const param = issue?.path.join('.') ?? ''
  return param === ''
    ? apiError('invalid_json', 'the body is not a JSON object')
    : apiError('invalid_value', `"${param}": ${issue?.message ?? 'invalid'}`, { param })
}
