// What an engine says of itself and of the model it serves. vLLM, SGLang and llama.cpp name themselves as the owner of their models; a version
// has a path of its own; the host of our engines says all of it with the model.

import { IronlawError } from '@ironlaw/contracts'
import * as z from 'zod'
import { readEngineAnswer } from './engine-answer.ts'
import { type EngineAddress, requestEngine } from './engine-request.ts'

export type EngineFacts = {
  readonly model: string
  readonly engine: string
  readonly version?: string
  readonly quantization?: string
  /** Digest of the weights. */
  readonly weights?: string
  readonly context_tokens?: number
  /** Most memory that its process held so far. */
  readonly memory_bytes?: number
}

const text = z.string().min(1).max(1000)
const MODEL = z.looseObject({
  id: text,
  owned_by: text.optional(),
  max_model_len: z.int().positive().nullish(),
  engine: text.optional(),
  version: text.optional(),
  quantization: text.optional(),
  weights: text.optional(),
  memory_bytes: z.int().positive().nullish(),
})
const MODELS = z.looseObject({ data: z.array(MODEL).min(1) })
const VERSION = z.looseObject({ version: text })

export async function engineFacts(address: EngineAddress, wanted?: string): Promise<EngineFacts> {
  const { data } = readEngineAnswer(address, MODELS, await requestEngine(address, '/v1/models'))
  const served = data.map(({ id }) => id).join(', ')
  const model = wanted === undefined ? (data.length === 1 ? data[0] : undefined) : data.find(({ id }) => id === wanted)
  if (!model)
    throw new IronlawError(
      'IL_ENGINE',
      { url: address.url, reason: wanted === undefined ? `it serves ${served}` : `it serves ${served}, not ${wanted}` },
      { next: 'name one of its models as engine.model in the spec, or with --model' },
    )
  const version = model.version ?? (await engineVersion(address))
  return {
    model: model.id,
    engine: model.engine ?? model.owned_by ?? 'unknown',
    ...(version !== undefined && { version }),
    ...(model.quantization !== undefined && { quantization: model.quantization }),
    ...(model.weights !== undefined && { weights: model.weights }),
    ...(typeof model.max_model_len === 'number' && { context_tokens: model.max_model_len }),
    ...(typeof model.memory_bytes === 'number' && { memory_bytes: model.memory_bytes }),
  }
}

/** As vLLM answers it. An engine that does not say has no version. */
async function engineVersion(address: EngineAddress): Promise<string | undefined> {
  const answer = await requestEngine(address, '/version').catch((cause: unknown) => {
    if (cause instanceof IronlawError) return undefined
    throw cause
  })
  return VERSION.safeParse(answer).data?.version
}
