// Answers in one piece: JSON with the headers that OpenAI's clients look for.

import type { ServerResponse } from 'node:http'
import { type ApiError, errorBody, retryHeaders } from '@ironlaw/contracts'
import { type Quota, type QuotaUse, type RateState, rateState } from '@ironlaw/policies/serving'

/** What the caller may use here, and has used of it. */
export type Rates = { readonly quota: Quota; readonly use: QuotaUse }

export type ReplyTarget = { readonly response: ServerResponse; readonly requestId: string; readonly rates?: Rates }

export function baseHeaders({ requestId, rates }: ReplyTarget): string[] {
  return rates ? ['x-request-id', requestId, ...rateHeaders(rates)] : ['x-request-id', requestId]
}

function rateHeaders({ quota, use }: Rates): string[] {
  const { requestsPerMinute, tokensPerMinute, divided } = quota
  const requests = rateState(use.requests, requestsPerMinute, divided)
  const tokens = rateState(use.tokens, tokensPerMinute, divided)
  return [
    'x-ratelimit-limit-requests',
    String(requests.limit),
    'x-ratelimit-remaining-requests',
    String(requests.remaining),
    'x-ratelimit-reset-requests',
    resetText(requests),
    'x-ratelimit-limit-tokens',
    String(tokens.limit),
    'x-ratelimit-remaining-tokens',
    String(tokens.remaining),
    'x-ratelimit-reset-tokens',
    resetText(tokens),
  ]
}

/** As "12ms" or "1.25s". */
function resetText({ full_s }: RateState): string {
  const milliseconds = Math.ceil(1000 * full_s)
  return milliseconds < 1000 ? `${milliseconds}ms` : `${milliseconds / 1000}s`
}

export function sendJson(to: ReplyTarget, body: Buffer | string, extra: readonly string[]): void {
  send(to, { status: 200, body, extra })
}

export function sendError(to: ReplyTarget, error: ApiError): void {
  send(to, { status: error.status, body: errorBody(error), extra: retryHeaders(error) })
}

type ReplyContent = { readonly status: number; readonly body: Buffer | string; readonly extra: readonly string[] }

/** The whole of an error, without the end of the response. */
export function writeError(to: ReplyTarget, error: ApiError): void {
  const body = errorBody(error)
  writeHead(to, { status: error.status, body, extra: retryHeaders(error) })
  to.response.write(body)
}

/** Up to here a copy as text costs less than a second write. */
const ONE_WRITE_BYTES = 65_536

function send(to: ReplyTarget, answer: ReplyContent): void {
  const { body } = answer
  writeHead(to, answer)
  // As text, head and body leave in one write.
  if (typeof body === 'string') to.response.end(body)
  else if (body.length <= ONE_WRITE_BYTES) to.response.end(body.toString('latin1'), 'latin1')
  else to.response.end(body)
  cutStalledReader(to.response)
}

function writeHead(to: ReplyTarget, { status, body, extra }: ReplyContent): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  to.response.writeHead(status, [...baseHeaders(to), ...extra, 'content-type', 'application/json', 'content-length', String(length)])
}

/** A client that reads nothing of a finished answer for this long is disconnected. */
const READER_STALL_MS = 60_000

/** For an answer that has ended: what the client has not read yet stays in memory, so it must continue to read. */
export function cutStalledReader(response: ServerResponse): void {
  const { socket } = response
  if (socket && socket.writableLength > 0) response.setTimeout(READER_STALL_MS, () => response.destroy())
}
