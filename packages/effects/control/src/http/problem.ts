// Whatever went wrong, as a problem (RFC 9457) from the catalogue. What a client may not learn (a value in a failed statement, a
// path, a stack) goes to the log of the server under the id of the request.

import { type ErrorCode, IronlawError } from '@ironlaw/contracts'
import type { Problem } from '@ironlaw/contracts/api'
import type { FastifyError } from 'fastify'

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  IL_INVALID: 400,
  IL_UNAUTHENTICATED: 401,
  IL_LOGIN_CODE: 401,
  IL_FORBIDDEN: 403,
  IL_SIGN_IN: 403,
  IL_NOT_FOUND: 404,
  IL_NO_SIGN_IN: 404,
  IL_CONFLICT: 409,
  IL_FENCED: 409,
  IL_DAMAGED: 409,
  IL_STALE: 412,
  IL_TOO_LARGE: 413,
  IL_UNSEEN: 428,
  IL_LIMIT: 429,
  IL_SECRETS_KEY: 503,
  IL_UNAVAILABLE: 503,
}

export function problemOf(error: unknown, request: string): Problem {
  const known = error instanceof IronlawError ? error : translatedError(error)
  const status = STATUS[known.code] ?? 500
  const title = status === 500 ? 'unexpected fault of the server' : known.message
  return { type: 'about:blank', title, status, code: known.code, next: known.next, request }
}

function translatedError(error: unknown): IronlawError {
  if (isConnectionLost(error))
    return new IronlawError('IL_UNAVAILABLE', { what: 'the database', reason: 'no connection' }, { cause: error })
  if (isFastifyError(error)) {
    if (error.statusCode === 413) return new IronlawError('IL_TOO_LARGE', { what: 'the body', limit_bytes: 'the allowed number of' })
    if (error.code === 'FST_ERR_HANDLER_TIMEOUT') return new IronlawError('IL_UNAVAILABLE', { what: 'the API', reason: 'it took too long' })
    if (error.statusCode !== undefined && error.statusCode < 500)
      return new IronlawError('IL_INVALID', { path: 'request', problem: error.message })
  }
  return new IronlawError('IL_UNEXPECTED', { reason: 'see the log of the server' }, { cause: error })
}

const isFastifyError = (error: unknown): error is FastifyError => error instanceof Error && 'statusCode' in error

/** No connection, or one that was cut: class 08 and the shutdown codes of PostgreSQL (its manual, appendix A), and those of sockets. */
const AWAY = /^(?:08...|57P0[123]|53300|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT)$/
const CUT = /^(?:Connection terminated|timeout exceeded when trying to connect)/

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('syscall' in error && error.syscall !== 'connect' && error.syscall !== 'read' && error.syscall !== 'write') return false
  return ('code' in error && typeof error.code === 'string' && AWAY.test(error.code)) || CUT.test(error.message)
}
