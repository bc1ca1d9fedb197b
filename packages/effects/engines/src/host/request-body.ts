// A request's body as JSON, or why it is not valid JSON. Size and depth are checked on the bytes, before anything is built from them.

import type { IncomingMessage } from 'node:http'
import { type ApiError, apiError, nestsDeeperThan } from '@ironlaw/contracts'

export type ParsedBody = { readonly json: unknown } | { readonly problem: ApiError }

/** The control API's limit too; a schema of OpenAI's deepest kind (10 levels) needs about 30. */
const DEEPEST = 64
const RETRY_AFTER_S = 1

/** The bytes of all bodies that are being read at once, so that many connections cannot fill memory with halves of requests. */
export class BodyReader {
  readonly #one_bytes: number
  readonly #all_bytes: number
  #held = 0

  constructor({ one_bytes, all_bytes }: { readonly one_bytes: number; readonly all_bytes: number }) {
    this.#one_bytes = one_bytes
    this.#all_bytes = all_bytes
  }

  async read(request: IncomingMessage): Promise<ParsedBody> {
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > this.#one_bytes) return { problem: this.#tooLarge() }
    if (this.#held + announced > this.#all_bytes) return { problem: BUSY }
    const parts: Buffer[] = []
    let length = 0
    try {
      for await (const part of request) {
        if (!Buffer.isBuffer(part)) continue
        length += part.length
        this.#held += part.length
        if (length > this.#one_bytes) return { problem: this.#tooLarge() }
        if (this.#held > this.#all_bytes) return { problem: BUSY }
        parts.push(part)
      }
      return parsedBody(Buffer.concat(parts))
    } catch (cause) {
      // A client that leaves while it sends is not there to read the answer either.
      return { problem: apiError('invalid_json', `the body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`) }
    } finally {
      this.#held -= length
    }
  }

  #tooLarge(): ApiError {
    return apiError('request_too_large', `the body has more than ${this.#one_bytes} bytes`)
  }
}

const BUSY = apiError('server_is_overloaded', 'too many requests are being read at once', { retryAfter_s: RETRY_AFTER_S })

/** Throws where the bytes are no JSON. */
export function parsedBody(bytes: Buffer): ParsedBody {
  if (nestsDeeperThan(bytes, DEEPEST)) return { problem: apiError('invalid_json', `the body nests deeper than ${DEEPEST} levels`) }
  return { json: JSON.parse(bytes.toString('utf8')) }
}
