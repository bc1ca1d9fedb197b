// A request as it goes to an engine: with what is left of its deadline, its id, and the trace it belongs to.

import type { CallOpening } from '../front/opening.ts'
import { upstreamBody } from '../front/completion-request.ts'
import type { Pool } from '../admission/pool.ts'
import { engineToken } from '../configuration/secrets.ts'
import type { OutgoingRequest } from '../upstream/upstream-attempt.ts'

/** Tokens that a request is expected to take: the prompt by its length, the answer by what it may have. */
export type ExpectedTokens = { readonly prompt: number; readonly output: number }

export type OutgoingTarget = {
  readonly pool: Pool
  readonly expected: ExpectedTokens
  readonly host: string
  readonly cached: number
  readonly salt: string
  readonly now: number
}

const TRACE = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/

export function outgoingRequest(opening: CallOpening, { pool, expected, host, cached, salt, now }: OutgoingTarget): OutgoingRequest {
  const { asked, path, requestId, startedAt, deadline_s, caller, request } = opening
  // Money was reserved for this many tokens, so the engine may generate no more.
  const cap = caller.tenant.entry.budget === undefined ? undefined : expected.output / asked.answers
  const body = upstreamBody(opening.body, asked, { rename: pool.entry.model, cap, salt: pool.entry.cache_salt ? salt : undefined })
  const left = Math.max(0.001, deadline_s - (now - startedAt)).toFixed(3)
  const token = engineToken(pool.entry.token_variable)
  const trace = request.headers['traceparent']
  const head =
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\nx-request-id: ${requestId}\r\n` +
    `x-request-timeout-s: ${left}\r\n${token === undefined ? '' : `authorization: Bearer ${token}\r\n`}` +
    `${typeof trace === 'string' && TRACE.test(trace) ? `traceparent: ${trace}\r\n` : ''}content-length: ${body.length}\r\n\r\n`
  return { head, body, uncached: expected.prompt - cached, output: expected.output }
}
