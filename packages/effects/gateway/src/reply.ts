// Answers in one piece: JSON with the headers that OpenAI's clients look for.

import type { ServerResponse } from 'node:http'
import { type ApiError, errorBody, retryHeaders } from '@ironlaw/contracts'
import type { Caller, Tenant } from './directory.ts'

export type Answerable = { readonly response: ServerResponse; readonly requestId: string; readonly caller?: Caller }

export function baseHeaders({ requestId, caller }: Answerable): string[] {
  return caller ? ['x-request-id', requestId, ...rateHeaders(caller.tenant)] : ['x-request-id', requestId]
}

function rateHeaders({ quota, use }: Tenant): string[] {
  const { requestsPerMinute, tokensPerMinute } = quota
  return [
    'x-ratelimit-limit-requests',
    String(requestsPerMinute),
    'x-ratelimit-remaining-requests',
    String(Math.max(0, Math.floor(use.requests.level))),
    'x-ratelimit-reset-requests',
    reset(requestsPerMinute, use.requests.level),
    'x-ratelimit-limit-tokens',
    String(tokensPerMinute),
    'x-ratelimit-remaining-tokens',
    String(Math.max(0, Math.floor(use.tokens.level))),
    'x-ratelimit-reset-tokens',
    reset(tokensPerMinute, use.tokens.level),
  ]
}

/** Time until the bucket is full again, as "12ms" or "1.25s". */
function reset(perMinute: number, level: number): string {
  const milliseconds = Math.ceil((60_000 * Math.max(0, perMinute - level)) / perMinute)
  return milliseconds < 1000 ? `${milliseconds}ms` : `${milliseconds / 1000}s`
}

export function sendJson(to: Answerable, body: Buffer | string, extra: readonly string[]): void {
  send(to, { status: 200, body, extra })
}

export function sendError(to: Answerable, error: ApiError): void {
  send(to, { status: error.status, body: errorBody(error), extra: retryHeaders(error) })
}

type Answer = { readonly status: number; readonly body: Buffer | string; readonly extra: readonly string[] }

/** The whole of an error, without the end of the response. */
export function writeError(to: Answerable, error: ApiError): void {
  const body = errorBody(error)
  writeHead(to, { status: error.status, body, extra: retryHeaders(error) })
  to.response.write(body)
}

/** Up to here a copy as text costs less than a second write. */
const ONE_WRITE_BYTES = 65_536

function send(to: Answerable, answer: Answer): void {
  const { body } = answer
  writeHead(to, answer)
  // As text, head and body leave in one write.
  if (typeof body === 'string') to.response.end(body)
  else if (body.length <= ONE_WRITE_BYTES) to.response.end(body.toString('latin1'), 'latin1')
  else to.response.end(body)
  cutStalledReader(to.response)
}

function writeHead(to: Answerable, { status, body, extra }: Answer): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  to.response.writeHead(status, [...baseHeaders(to), ...extra, 'content-type', 'application/json', 'content-length', String(length)])
}

/** A client that takes nothing of a finished answer for so long is cut off. */
const READER_STALL_MS = 60_000

/** For an answer that was ended: what the client has not taken yet stays in memory, and it must go on taking it. */
export function cutStalledReader(response: ServerResponse): void {
  const { socket } = response
  if (socket && socket.writableLength > 0) response.setTimeout(READER_STALL_MS, () => response.destroy())
}
