// One streamed answer of an OpenAI-compatible API, piece by piece.

import { IronlawError } from '@ironlaw/contracts'
import * as z from 'zod'

export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }

export type Gateway = { readonly url: string; readonly key: string }

export type Question = {
  readonly model: string
  readonly messages: readonly Message[]
  readonly max_tokens?: number
  readonly ignore_eos?: boolean
  readonly stream_options?: { readonly include_usage: true }
}

/** Text as it comes, and at the end what the answer took where that was asked for. */
export type ChatPiece = { readonly text: string } | { readonly spent: Spent }

export type Spent = {
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly completion_tokens: number
  /** Inside the engine, where that says so. */
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

export async function* chatStream({ url, key }: Gateway, question: Question, signal: AbortSignal): AsyncGenerator<ChatPiece> {
  const answer = await fetch(new URL('/v1/chat/completions', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...question, stream: true }),
    signal,
  })
  if (!answer.ok) throw problem(`HTTP ${answer.status}`, await answer.text())
  let rest = ''
  const decoder = new TextDecoder()
  for await (const bytes of answer.body ?? []) {
    rest += decoder.decode(bytes, { stream: true })
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = event.replace(/^data: ?/, '')
      if (data === '[DONE]') return
      const chunk = CHUNK.parse(JSON.parse(data))
      if (chunk.error) throw problem('stream', chunk.error.message)
      const text = chunk.choices[0]?.delta?.content
      if (text) yield { text }
      if (chunk.usage) yield { spent: spentOf(chunk.usage, TIMINGS.safeParse(chunk.timings).data) }
    }
  }
}

const spentOf = (
  { prompt_tokens, completion_tokens, prompt_tokens_details: details }: z.infer<typeof USAGE>,
  timings: Spent['timings'],
): Spent => ({
  prompt_tokens,
  completion_tokens,
  cached_tokens: details?.cached_tokens ?? 0,
  ...(timings && { timings }),
})

const problem = (code: string, text: string): IronlawError =>
  new IronlawError('IL_API', { code, problem: text.slice(0, 300), next: 'is the key right, and does the gateway serve that model?' })
