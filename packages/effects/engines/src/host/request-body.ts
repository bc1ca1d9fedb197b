// A request's body as JSON, or why it is none.

import type { IncomingMessage } from 'node:http'
import { type ApiError, apiError } from '@ironlaw/contracts'

export type Body = { readonly json: unknown } | { readonly problem: ApiError }

export async function jsonBody(request: IncomingMessage, limit_bytes: number): Promise<Body> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of request) {
      if (!Buffer.isBuffer(part)) continue
      length += part.length
      if (length > limit_bytes) return { problem: apiError('request_too_large', `the body has more than ${limit_bytes} bytes`) }
      parts.push(part)
    }
    return { json: JSON.parse(Buffer.concat(parts).toString('utf8')) }
  } catch (cause) {
    // A client that leaves while it sends is not there to read the answer either.
    return { problem: apiError('invalid_json', `the body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`) }
  }
}
