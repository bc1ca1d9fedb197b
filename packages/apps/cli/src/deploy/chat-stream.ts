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
}

const CHUNK = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }).optional() })).default([]),
  error: z.object({ message: z.string() }).optional(),
})

export async function* chatStream({ url, key }: Gateway, question: Question, signal: AbortSignal): AsyncGenerator<string> {
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
      if (text) yield text
    }
  }
}

const problem = (code: string, text: string): IronlawError =>
  new IronlawError('IL_API', { code, problem: text.slice(0, 300), next: 'is the key right, and does the gateway serve that model?' })
