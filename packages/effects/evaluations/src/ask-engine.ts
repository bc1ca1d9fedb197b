// What an item asks, in the words of OpenAI's API.

import type { ItemAnswer, ItemRequest } from '@ironlaw/policies/evaluation'
import * as z from 'zod'
import { readEngineAnswer } from './engine-answer.ts'
import { type EngineAddress, requestEngine } from './engine-request.ts'

export type AskedEngine = EngineAddress & {
  readonly model: string
  readonly sampling: { readonly temperature: number; readonly top_p: number; readonly seed: number }
  /** With it a prompt is the message of a user. */
  readonly template: 'none' | 'chat'
  readonly system?: string
}

export type EngineAnswer = { readonly answer: ItemAnswer; readonly tokens_in: number; readonly tokens_out: number }

const COUNT = z.int().nonnegative()
const USAGE = z.looseObject({ prompt_tokens: COUNT.default(0), completion_tokens: COUNT.default(0) }).prefault({})
const CHANCES = z.looseObject({
  token_logprobs: z.array(z.number().nullable()),
  top_logprobs: z.array(z.record(z.string(), z.number()).nullable()),
})
const COMPLETION = z.looseObject({
  choices: z.array(z.looseObject({ text: z.string(), logprobs: CHANCES.nullish() })).min(1),
  usage: USAGE,
})
const CHAT = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullable() }) })).min(1),
  usage: USAGE,
})

export async function askEngine(engine: AskedEngine, request: ItemRequest): Promise<EngineAnswer> {
  const { model, sampling } = engine
  if (request.ask === 'likelihood') {
    const body = { model, prompt: request.tokens, echo: true, logprobs: 1, max_tokens: 0, temperature: 0 }
    return likelihoodAnswer(readEngineAnswer(engine, COMPLETION, await requestEngine(engine, '/v1/completions', body)))
  }
  const { until, most_tokens, input } = request
  const settings = { model, max_tokens: most_tokens, ...sampling, ...(until.length > 0 && { stop: until }) }
  if (engine.template === 'none' && 'prompt' in input) {
    const answered = await requestEngine(engine, '/v1/completions', { ...settings, prompt: input.prompt })
    const { choices, usage } = readEngineAnswer(engine, COMPLETION, answered)
    return textAnswer(choices[0]?.text ?? '', usage)
  }
  const messages = 'prompt' in input ? [{ role: 'user', content: input.prompt }] : input.messages
  const system = engine.system === undefined ? [] : [{ role: 'system', content: engine.system }]
  const answered = await requestEngine(engine, '/v1/chat/completions', { ...settings, messages: [...system, ...messages] })
  const { choices, usage } = readEngineAnswer(engine, CHAT, answered)
  return textAnswer(choices[0]?.message.content ?? '', usage)
}

function likelihoodAnswer({ choices, usage }: z.output<typeof COMPLETION>): EngineAnswer {
  const { token_logprobs = [], top_logprobs = [] } = choices[0]?.logprobs ?? {}
  const largest = top_logprobs.map((top) => (top ? Math.max(...Object.values(top)) : null))
  return { answer: { said: 'echo', logprobs: token_logprobs, largest }, ...tokensOf(usage) }
}

const textAnswer = (text: string, usage: z.output<typeof USAGE>): EngineAnswer => ({ answer: { said: 'text', text }, ...tokensOf(usage) })

const tokensOf = ({ prompt_tokens, completion_tokens }: z.output<typeof USAGE>) => ({
  tokens_in: prompt_tokens,
  tokens_out: completion_tokens,
})
