// One streamed answer of an OpenAI-compatible API, piece by piece.

import { IronlawError } from '@ironlaw/contracts'
import { eventData } from '@ironlaw/contracts/event-stream'
import * as z from 'zod'
import { fetchGateway, type Gateway } from './fetch-gateway.ts'

export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }

export type ChatRequest = {
  readonly model: string
  readonly messages: readonly Message[]
  readonly max_tokens?: number
  readonly ignore_eos?: boolean
  readonly stream_options?: { readonly include_usage: true }
}

/** Text as it arrives, and at the end the usage, if requested. */
export type ChatPiece = { readonly text: string } | { readonly spent: ChatUsage }

export type ChatUsage = {
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly completion_tokens: number
  /** Time inside the engine, if it reports that. */
  readonly timings?: z.infer<typeof TIMINGS>
}

const TIMINGS = z.object({ queue_s: z.number(), prefill_s: z.number(), decode_s: z.number() })
const USAGE = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int().nullish() }).nullish(),
})

const CHUNK = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }).optional() })).default([]),
  usage: USAGE.nullish(),
  // Other servers have an object of this name with other fields.
  timings: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
})

export async function* chatStream(gateway: Gateway, question: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPiece> {
  const body = JSON.stringify({ ...question, stream: true })
  const answer = await fetchGateway(gateway, '/v1/chat/completions', { method: 'POST', body, signal })
  if (!answer.ok) throw await refusal(answer)
  for await (const data of eventData(answer.body ?? [])) {
    if (data === '[DONE]') return
    const chunk = CHUNK.parse(JSON.parse(data))
    if (chunk.error)
      throw new IronlawError('IL_API', { code: 'stream', problem: chunk.error.message, next: 'the answer was cut off; try again' })
    const text = chunk.choices[0]?.delta?.content
    if (text) yield { text }
    if (chunk.usage) yield { spent: chatUsage(chunk.usage, TIMINGS.safeParse(chunk.timings).data) }
  }
}

const chatUsage = (
  { prompt_tokens, completion_tokens, prompt_tokens_details: details }: z.infer<typeof USAGE>,
  timings: ChatUsage['timings'],
): ChatUsage => ({
  prompt_tokens,
  completion_tokens,
  cached_tokens: details?.cached_tokens ?? 0,
  ...(timings && { timings }),
})

const ERROR_BODY = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) })

/** Characters shown of a body that is not an OpenAI error. */
const MOST_SHOWN = 300

async function refusal(answer: Response): Promise<IronlawError> {
  const { status } = answer
  const body = await answer.text()
  // A proxy may answer with a page: the status says enough then.
  const json: unknown = await new Response(body).json().catch(() => undefined)
  const { error } = ERROR_BODY.safeParse(json).data ?? {}
  const code = error?.code ?? `HTTP ${status}`
  return new IronlawError('IL_API', { code, problem: error?.message ?? body.slice(0, MOST_SHOWN), next: advice(status) })
}

const advice = (status: number): string => {
  if (status === 401)
    return 'set IRONLAW_KEY or --key to a key of this gateway; "ironlaw key TENANT" creates one, "ironlaw apply" grants it access'
  if (status === 404) return 'name a model of the gateway; "ironlaw get" lists the deployments'
  if (status === 429 || status >= 500) return 'try again later; "ironlaw get gateways" and "ironlaw top" show the load'
  return 'change the request as the message says'
}
