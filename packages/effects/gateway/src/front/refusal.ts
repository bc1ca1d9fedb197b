// A refusal whose request may not have been read to its end. What is left of a small body is read and thrown away, so that the connection
// can be used again; a large one, or one that comes slowly, is not waited for, and its connection is closed.

import type { IncomingMessage } from 'node:http'
import type { ApiError } from '@ironlaw/contracts'
import { type ReplyTarget, sendError, writeError } from './reply.ts'

/** Reading this costs less than a new connection. */
const DRAIN_BYTES = 65_536
const DRAIN_MS = 5000
/** Closing while a client still sends would reset the connection, and the answer with it; the client has this long to read the answer. */
const LINGER_MS = 1000

export function sendRefusal(to: ReplyTarget & { readonly request: IncomingMessage }, error: ApiError): void {
  const { request, response } = to
  if (request.complete || !hasBody(request)) {
    sendError(to, error)
    return
  }
  if (Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= DRAIN_BYTES) {
    sendError(to, error)
    const timer = setTimeout(() => request.destroy(), DRAIN_MS)
    request.on('close', () => clearTimeout(timer))
    return
  }
  response.setHeader('connection', 'close')
  writeError(to, error)
  // The whole answer is out; its end closes the connection.
  const timer = setTimeout(() => response.end(), LINGER_MS)
  request.on('end', () => response.end())
  response.on('close', () => clearTimeout(timer))
  request.resume()
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
