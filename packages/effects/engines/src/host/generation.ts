// One answer to one client: its choices generated side by side, sent in one piece or as they come. A client that reads slowly slows its
// own generation, since the next part is requested when the last one was read.

import type { ServerResponse } from 'node:http'
import { type ApiError, apiError } from '@ironlaw/contracts'
import type { ChosenToken, GenerationEnd, GeneratePart, GenerateRequest, Refusal, ServingEngine, Usage } from '../engine.ts'
import type { HostMetrics } from './host-metrics.ts'
import { type Choice, chunk, type AnswerHead, type AnswerCost, usageChunk, wholeAnswer } from './openai-answer.ts'
import type { GenerateCall } from './openai-request.ts'
import { type Timings, timingsOf } from './timings.ts'

export type GenerateContext = {
  readonly engine: ServingEngine
  readonly metrics: HostMetrics
  readonly call: GenerateCall
  readonly head: AnswerHead
  readonly response: ServerResponse
  readonly signal: AbortSignal
  /** The most that an answer in one piece may hold. */
  readonly answer_bytes: number
}

export type Outcome =
  | ({ readonly outcome: 'answered'; readonly reasons: readonly ('stop' | 'length')[] } & AnswerCost)
  | { readonly outcome: 'aborted'; readonly usage: Usage }
  | { readonly outcome: 'refused'; readonly error: ApiError }

type Text = Extract<GeneratePart, { readonly part: 'text' }>
type LastPart = Exclude<GeneratePart, { readonly part: 'text' } | GenerationEnd> | (GenerationEnd & { readonly timings?: Timings })

const NO_USAGE: Usage = { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 }

export async function answerWhole(generating: GenerateContext): Promise<Outcome> {
  const { call, head, response, answer_bytes } = generating
  const texts = call.requests.map(() => ({ text: '', chosen: [] as ChosenToken[] }))
  const tooLarge = new AbortController()
  let held = 0
  const onText = async (index: number, part: Text): Promise<void> => {
    const so_far = texts[index]
    if (!so_far) return
    held += heldBytes(part)
    if (held > answer_bytes) tooLarge.abort()
    so_far.text += part.text
    so_far.chosen.push(...(part.chosen ?? []))
  }
  const lasts = await generateAll({ ...generating, signal: AbortSignal.any([generating.signal, tooLarge.signal]) }, { onText })
  if (tooLarge.signal.aborted) return { outcome: 'refused', error: answerTooLarge(answer_bytes) }
  const outcome = outcomeOf(call.requests, lasts)
  if (outcome.outcome !== 'answered') return outcome
  const choices = texts.map(({ text, chosen }, index): Choice => ({ text, chosen, reason: outcome.reasons[index] ?? 'stop' }))
  const body = JSON.stringify(wholeAnswer(head, choices, outcome))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
  return outcome
}

/** Approximate length of a log probability in JSON, with the bytes of its token. */
const LOGPROB_BYTES = 100

const heldBytes = ({ text, chosen = [] }: Text): number =>
  text.length + LOGPROB_BYTES * chosen.reduce((sum, { alternatives }) => sum + 1 + alternatives.length, 0)

const answerTooLarge = (limit: number): ApiError => tooLargeError(limit, 'ask for fewer choices or log probabilities, or stream it')

export const tooLargeError = (limit: number, advice: string): ApiError =>
  apiError('invalid_value', `the answer would have more than ${limit} bytes: ${advice}`)

export async function answerStream(generating: GenerateContext): Promise<Outcome> {
  const { call, head, response } = generating
  const begun = new Set<number>()
  const send = async (
    index: number,
    text: string,
    more: { readonly reason?: 'stop' | 'length'; readonly chosen?: readonly ChosenToken[] },
  ) => {
    // Only now: a prompt that is refused still has its own status.
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    const first = !begun.has(index)
    begun.add(index)
    if (!response.write(chunk(head, { index, text, first, reason: more.reason ?? null, chosen: more.chosen ?? [] })))
      await waitForDrain(response)
  }
  const lasts = await generateAll(generating, {
    onText: (index, { text, chosen }) => send(index, text, chosen ? { chosen } : {}),
    onLast: async (index, last) => {
      if (last.part === 'ended' && last.reason !== 'aborted') await send(index, '', { reason: last.reason })
    },
  })
  const outcome = outcomeOf(call.requests, lasts)
  if (outcome.outcome !== 'answered') return outcome
  if (call.include_usage) response.write(usageChunk(head, outcome))
  response.end('data: [DONE]\n\n')
  return outcome
}

type Listener = {
  readonly onText: (index: number, part: Text) => Promise<void>
  readonly onLast?: (index: number, part: LastPart) => Promise<void>
}

/** Runs every choice to its end. When one fails or is refused, the rest are stopped and awaited, so that none writes to an ended answer. */
async function generateAll(generating: GenerateContext, listener: Listener): Promise<readonly (LastPart | undefined)[]> {
  const { call, engine } = generating
  const refusal = firstRefusal(engine, call.requests)
  if (refusal) return [{ part: 'refused', ...refusal }]
  const rest = new AbortController()
  const signal = AbortSignal.any([generating.signal, rest.signal])
  const settled = await Promise.allSettled(
    call.requests.map(async (_, index) => {
      let isWhole = false
      try {
        const last = await generateOne({ ...generating, signal }, index, listener)
        isWhole = last?.part !== 'refused'
        return last
      } finally {
        if (!isWhole) rest.abort()
      }
    }),
  )
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** One prompt needs no look ahead: it is refused before its first token anyway. */
function firstRefusal(engine: ServingEngine, requests: readonly GenerateRequest[]): Refusal | undefined {
  const different = requests.filter(({ prompt }, index) => prompt !== requests[index - 1]?.prompt)
  if (different.length === 1) return undefined
  for (const request of different) {
    const refusal = engine.refusal?.(request)
    if (refusal) return refusal
  }
  return undefined
}

async function generateOne(
  { engine, metrics, call, signal }: GenerateContext,
  index: number,
  { onText, onLast }: Listener,
): Promise<LastPart | undefined> {
  const request = call.requests[index]
  if (!request) return undefined
  const asked_s = performance.now() / 1000
  let at_s = asked_s
  let first_s: number | undefined
  let tokens = 0
  for await (const part of engine.generate(request, signal)) {
    const now_s = performance.now() / 1000
    if (part.part !== 'text') {
      await onLast?.(index, part)
      if (part.part === 'refused' || part.began_s === undefined) return part
      const ended_s = now_s - asked_s
      const timings = timingsOf({ began_s: part.began_s, first_s: first_s ?? ended_s, ended_s })
      metrics.observeTimings(timings)
      return { ...part, timings }
    }
    // An echoed prompt is no token of the answer.
    if (part.tokens === 0) {
      await onText(index, part)
      continue
    }
    first_s ??= now_s - asked_s
    if (tokens === 0) metrics.observeFirstToken(now_s - at_s)
    else metrics.observeNextToken((now_s - at_s) / Math.max(1, part.tokens - tokens))
    at_s = now_s
    tokens = part.tokens
    await onText(index, part)
  }
  return undefined
}

function outcomeOf(requests: readonly GenerateRequest[], lasts: readonly (LastPart | undefined)[]): Outcome {
  let usage = NO_USAGE
  const reasons: ('stop' | 'length')[] = []
  let aborted = false
  for (const [index, last] of lasts.entries()) {
    if (last?.part === 'refused') return { outcome: 'refused', error: refusalError(last) }
    if (last?.part !== 'ended') continue
    // A prompt with several choices is one prompt on the bill.
    const again = requests[index]?.prompt === requests[index - 1]?.prompt
    usage = {
      prompt_tokens: usage.prompt_tokens + (again ? 0 : last.usage.prompt_tokens),
      cached_tokens: usage.cached_tokens + (again ? 0 : last.usage.cached_tokens),
      completion_tokens: usage.completion_tokens + last.usage.completion_tokens,
    }
    if (last.reason === 'aborted') aborted = true
    else reasons.push(last.reason)
  }
  if (aborted) return { outcome: 'aborted', usage }
  // Several choices ran side by side: no one division is theirs.
  const [only] = lasts.length === 1 ? lasts : []
  return { outcome: 'answered', usage, reasons, ...(only?.part === 'ended' && only.timings && { timings: only.timings }) }
}

export const refusalError = ({ field, why, reason }: Refusal): ApiError =>
  apiError(why === 'too-long' ? 'context_length_exceeded' : 'invalid_value', reason, { param: field })

function waitForDrain(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = (): void => {
    response.off('drain', done).off('close', done)
    resolve()
  }
  if (response.destroyed) return Promise.resolve()
  response.on('drain', done).on('close', done)
  return promise
}
