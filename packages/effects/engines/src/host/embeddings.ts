// Vectors for texts, as numbers or as the bytes of their 32-bit floats, which is what OpenAI's clients ask for.

import type { ServerResponse } from 'node:http'
import type { ServingEngine } from '../engine.ts'
import { type Outcome, refusalError, tooLargeError } from './generation.ts'
import type { EmbedCall } from './openai-request.ts'

type EmbedContext = {
  readonly engine: ServingEngine
  readonly call: EmbedCall
  readonly response: ServerResponse
  readonly signal: AbortSignal
  /** The most that the answer may hold. */
  readonly answer_bytes: number
}

export async function answerEmbeddings({ engine, call, response, signal, answer_bytes }: EmbedContext): Promise<Outcome> {
  const answer = await engine.embed(call.texts, signal)
  if (answer.answer === 'refused') return { outcome: 'refused', error: refusalError(answer) }
  const usage = { prompt_tokens: answer.prompt_tokens, cached_tokens: 0, completion_tokens: 0 }
  if (signal.aborted) return { outcome: 'aborted', usage }
  const data = vectorsText(answer.vectors, call, answer_bytes)
  if (data === undefined) return { outcome: 'refused', error: tooLargeError(answer_bytes, 'send fewer inputs, or ask for base64') }
  const rest = JSON.stringify({ model: call.model, usage: { prompt_tokens: usage.prompt_tokens, total_tokens: usage.prompt_tokens } })
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"object":"list","data":[${data}],${rest.slice(1)}`)
  return { outcome: 'answered', usage, reasons: [] }
}

/** One after another, so that no more text is made than may be sent; undefined beyond that. */
function vectorsText(vectors: readonly (readonly number[])[], call: EmbedCall, most: number): string | undefined {
  const texts: string[] = []
  let held = 0
  for (const [index, vector] of vectors.entries()) {
    const text = JSON.stringify({ object: 'embedding', index, embedding: call.base64 ? base64(vector) : vector })
    held += text.length + 1
    if (held > most) return undefined
    texts.push(text)
  }
  return texts.join(',')
}

const base64 = (vector: readonly number[]): string => Buffer.from(Float32Array.from(vector).buffer).toString('base64')
