// Answers in OpenAI's form, in one piece and as chunks of a stream.

import type { ChosenToken, Usage } from '../engine.ts'
import type { Operation } from './openai-request.ts'
import type { Timings } from './timings.ts'

export type AnswerHead = { readonly id: string; readonly created: number; readonly model: string; readonly operation: Operation }

export type Choice = { readonly text: string; readonly reason: 'stop' | 'length'; readonly chosen: readonly ChosenToken[] }

export type AnswerCost = { readonly usage: Usage; readonly timings?: Timings }

export const wholeAnswer = ({ id, created, model, operation }: AnswerHead, choices: readonly Choice[], spent: AnswerCost): object => ({
  id,
  object: operation === 'chat' ? 'chat.completion' : 'text_completion',
  created,
  model,
  choices: choices.map(({ text, reason, chosen }, index) => ({
    index,
    ...(operation === 'chat' ? { message: { role: 'assistant', content: text, refusal: null } } : { text }),
    logprobs: chosen.length === 0 ? null : logprobs(operation, chosen),
    finish_reason: reason,
  })),
  ...costBody(spent),
})

type Delta = {
  readonly index: number
  readonly text: string
  readonly first: boolean
  readonly reason: 'stop' | 'length' | null
  readonly chosen: readonly ChosenToken[]
}

export const chunk = (head: AnswerHead, { index, text, first, reason, chosen }: Delta): string =>
  event(head, {
    choices: [
      {
        index,
        ...(head.operation === 'chat'
          ? { delta: { ...(first && { role: 'assistant' }), ...((reason === null || text !== '') && { content: text }) } }
          : { text }),
        ...(chosen.length > 0 && { logprobs: logprobs(head.operation, chosen) }),
        finish_reason: reason,
      },
    ],
  })

export const usageChunk = (head: AnswerHead, spent: AnswerCost): string => event(head, { choices: [], ...costBody(spent) })

function event({ id, created, model, operation }: AnswerHead, body: object): string {
  return `data: ${JSON.stringify({ id, object: operation === 'chat' ? 'chat.completion.chunk' : 'text_completion', created, model, ...body })}\n\n`
}

const costBody = ({ usage, timings }: AnswerCost): object => ({ usage: usageBody(usage), ...(timings && { timings }) })

const usageBody = ({ prompt_tokens, cached_tokens, completion_tokens }: Usage): object => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
  prompt_tokens_details: { cached_tokens },
})

const bytesOf = (text: string): number[] => [...Buffer.from(text)]

function logprobs(operation: Operation, chosen: readonly ChosenToken[]): object {
  if (operation === 'chat')
    return {
      content: chosen.map(({ text, logprob, alternatives }) => ({
        token: text,
        logprob,
        bytes: bytesOf(text),
        top_logprobs: alternatives.map((other) => ({ token: other.text, logprob: other.logprob, bytes: bytesOf(other.text) })),
      })),
      refusal: null,
    }
  return {
    tokens: chosen.map(({ text }) => text),
    token_logprobs: chosen.map(({ logprob }) => logprob),
    top_logprobs: chosen.map(({ logprob, alternatives }) =>
      logprob === null ? null : Object.fromEntries(alternatives.map((other) => [other.text, other.logprob])),
    ),
  }
}
