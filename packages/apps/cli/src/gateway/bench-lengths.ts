// Lengths of the requests of a test: as given by flags, or as much as the model accepts. Words are counted by the model's own tokenizer.

import { IronlawError } from '@ironlaw/contracts'
import * as z from 'zod'
import { chatStream, type ChatRequest, type ChatUsage } from './chat-stream.ts'
import { fetchGateway, type Gateway } from './fetch-gateway.ts'

/** In tokens. */
export type Lengths = { readonly input: number; readonly output: number }

const DEFAULT: Lengths = { input: 256, output: 64 }

/** Tokens that the number in front of a prompt and the chat template may add to the count. */
const SPARE_TOKENS = 16

/** Defaults for lengths that were not given, short enough for both to fit. */
export function fittingLengths(given: Partial<Lengths>, context_tokens: number | undefined): Lengths {
  const room = context_tokens === undefined ? Number.POSITIVE_INFINITY : Math.max(2, context_tokens - SPARE_TOKENS)
  const output =
    given.output ?? Math.max(1, Math.min(DEFAULT.output, Math.floor((room - (given.input ?? 0)) / (given.input === undefined ? 3 : 1))))
  const input = given.input ?? Math.max(1, Math.min(DEFAULT.input, room - output))
  return { input, output }
}

/** Halves the lengths that the user did not give; undefined when nothing is left to shorten. */
export function shorterLengths({ input, output }: Lengths, given: Partial<Lengths>): Lengths | undefined {
  const half = { input: given.input ?? Math.ceil(input / 2), output: given.output ?? Math.ceil(output / 2) }
  return half.input === input && half.output === output ? undefined : half
}

export function lengthsNote({ input, output }: Lengths, given: Partial<Lengths>): readonly string[] {
  const short = [
    ...(given.input === undefined && input < DEFAULT.input ? [`prompts of ${input} tokens instead of ${DEFAULT.input}`] : []),
    ...(given.output === undefined && output < DEFAULT.output ? [`answers of ${output} instead of ${DEFAULT.output}`] : []),
  ]
  return short.length === 0 ? [] : [`${short.join(', ')}: longer ones do not fit the context of the model`]
}

const WORD = 'law '

/** How many tokens a request has in addition to its words, and how many tokens a word has. */
type Tokenization = { readonly base: number; readonly perWord: number }

/** For a server that does not report counts: most tokenizers encode such a word as one token. */
export const UNKNOWN_TOKENIZATION: Tokenization = { base: 0, perWord: 1 }

export type Prompts = { readonly model: string; readonly lengths: Lengths; readonly tokenization: Tokenization }

/** Each begins with its number, so that prompts share no more than the template in a prefix cache. */
export function promptOf({ model, lengths, tokenization: { base, perWord } }: Prompts, number: number): ChatRequest {
  const words = Math.max(1, Math.round((lengths.input - base) / perWord))
  return questionOf(model, `${number} ${WORD.repeat(words)}`, lengths.output)
}

const questionOf = (model: string, content: string, max_tokens: number): ChatRequest => ({
  model,
  max_tokens,
  ignore_eos: true,
  messages: [{ role: 'user', content }],
  stream_options: { include_usage: true },
})

const FEW_WORDS = [1, 9] as const

export async function measureTokenization(gateway: Gateway, model: string, giveUp_ms: number): Promise<Tokenization> {
  const counted: number[] = []
  for (const words of FEW_WORDS) {
    const spent = await fetchUsage(gateway, questionOf(model, `0 ${WORD.repeat(words)}`, 1), giveUp_ms)
    if (spent) counted.push(spent.prompt_tokens)
  }
  const [few = 0, more = 0] = counted
  const perWord = (more - few) / (FEW_WORDS[1] - FEW_WORDS[0])
  return perWord > 0 ? { base: few - perWord * FEW_WORDS[0], perWord } : UNKNOWN_TOKENIZATION
}

/** Sends a whole request; returns the tokens it took, if the server reports them. */
export async function fetchUsage(gateway: Gateway, question: ChatRequest, giveUp_ms: number): Promise<ChatUsage | undefined> {
  let spent: ChatUsage | undefined
  for await (const piece of chatStream(gateway, question, AbortSignal.timeout(giveUp_ms))) if ('spent' in piece) ({ spent } = piece)
  return spent
}

const MODEL = z.object({ max_model_len: z.int().positive() })

/** In the format of vLLM and Ironlaw engines; undefined if a server does not report it. */
export async function fetchContextLength(gateway: Gateway, model: string): Promise<number | undefined> {
  const answer = await fetchGateway(gateway, `/v1/models/${encodeURIComponent(model)}`).then(
    (found) => (found.ok ? found.json() : undefined),
    // Whatever is wrong, the next request reports it better.
    () => undefined,
  )
  return MODEL.safeParse(answer).data?.max_model_len
}

/** In the format of this gateway, OpenAI, vLLM and llama.cpp. */
export const isTooLong = (problem: Error): boolean =>
  problem instanceof IronlawError && /context_length_exceeded|maximum context length|exceed_context_size/i.test(problem.message)
