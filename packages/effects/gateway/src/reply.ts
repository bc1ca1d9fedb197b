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

function send(to: Answerable, { status, body, extra }: Answer): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  to.response.writeHead(status, [...baseHeaders(to), ...extra, 'content-type', 'application/json', 'content-length', String(length)])
  // As text, head and body leave in one write.
  if (typeof body === 'string') to.response.end(body)
  else to.response.end(body.toString('latin1'), 'latin1')
}
