// Reads a request's body up to a limit, in a given time. Callbacks, because a promise for each request shows in the profile.

import type { IncomingMessage } from 'node:http'
import { type ApiError, apiError } from '@ironlaw/contracts'

export type BodyLimits = {
  readonly body_bytes: number
  readonly body_s: number
  /** Takes account of bytes that arrived, or says why they cannot be held. */
  readonly hold: (bytes: number) => ApiError | undefined
}

/** Calls back once; not at all when the client leaves first. */
export function readBody(request: IncomingMessage, limits: BodyLimits, done: (body: Buffer | ApiError) => void): void {
  const { body_bytes, body_s, hold } = limits
  let parts: Buffer[] = []
  let length = 0
  let over = false
  const finish = (body: Buffer | ApiError): void => {
    if (over) return
    over = true
    clearTimeout(timer)
    parts = []
    done(body)
  }
  const timer = setTimeout(() => finish(apiError('request_timeout', `the body did not arrive within ${body_s} s`)), body_s * 1000)
  if (Number(request.headers['content-length'] ?? 0) > body_bytes) {
    finish(tooLarge(body_bytes))
    return
  }
  request.on('data', (part: Buffer) => {
    if (over) return
    length += part.length
    if (length > body_bytes) finish(tooLarge(body_bytes))
    else {
      const problem = hold(part.length)
      if (problem) finish(problem)
      else parts.push(part)
    }
  })
  request.on('end', () => {
    const [first] = parts
    finish(first && parts.length === 1 ? first : Buffer.concat(parts))
  })
  request.on('close', () => clearTimeout(timer))
}

const tooLarge = (limit: number): ApiError => apiError('request_too_large', `the body has more than ${limit} bytes`)
