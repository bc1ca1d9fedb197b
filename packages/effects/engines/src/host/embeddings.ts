// Vectors for texts, as numbers or as the bytes of their 32-bit floats, which is what OpenAI's clients ask for.

import type { ServerResponse } from 'node:http'
import type { ServingEngine } from '../engine.ts'
import { type Outcome, refusalError } from './generation.ts'
import type { EmbedCall } from './openai-request.ts'

type Embedding = {
  readonly engine: ServingEngine
  readonly call: EmbedCall
  readonly response: ServerResponse
  readonly signal: AbortSignal
}

export async function answerEmbeddings({ engine, call, response, signal }: Embedding): Promise<Outcome> {
  const answer = await engine.embed(call.texts, signal)
  if (answer.answer === 'refused') return { outcome: 'refused', error: refusalError(answer) }
  const usage = { prompt_tokens: answer.prompt_tokens, cached_tokens: 0, completion_tokens: 0 }
  if (signal.aborted) return { outcome: 'aborted', usage }
  const data = answer.vectors.map((vector, index) => ({ object: 'embedding', index, embedding: call.base64 ? base64(vector) : vector }))
  const body = { object: 'list', data, model: call.model, usage: { prompt_tokens: usage.prompt_tokens, total_tokens: usage.prompt_tokens } }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
  return { outcome: 'answered', usage, reasons: [] }
}

const base64 = (vector: readonly number[]): string => Buffer.from(Float32Array.from(vector).buffer).toString('base64')
