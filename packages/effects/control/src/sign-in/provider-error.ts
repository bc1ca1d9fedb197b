// What the library says of a failed exchange with the provider, as an error of the catalogue: away, or refused and why.

import { IronlawError } from '@ironlaw/contracts'
import * as oidc from 'openid-client'
import { printable } from './identity.ts'

const LONGEST_REASON = 200
const AGAIN = 'sign in again; if it is refused again, an administrator compares the settings of the client at the provider'

/** Codes of the library for an answer that did not come, or was none. */
const AWAY: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
])

export function providerError(cause: unknown, issuer: string): IronlawError {
  if (cause instanceof IronlawError) return cause
  const reason = reasonOf(cause)
  if (isAway(cause)) return new IronlawError('IL_UNAVAILABLE', { what: `the identity provider ${issuer}`, reason }, { cause })
  return new IronlawError('IL_SIGN_IN', { reason, next: AGAIN }, { cause })
}

function isAway(cause: unknown): boolean {
  if (cause instanceof oidc.ResponseBodyError) return cause.status >= 500
  if (cause instanceof oidc.ClientError) return AWAY.has(cause.code ?? '')
  // What `fetch` throws without a connection.
  return cause instanceof TypeError && cause.message === 'fetch failed'
}

/** Of an error in the address only its code: anybody can write a description there. */
function reasonOf(cause: unknown): string {
  if (cause instanceof oidc.AuthorizationResponseError || cause instanceof oidc.ResponseBodyError) {
    const code = /^[\w.-]{1,60}$/.exec(cause.error)?.[0] ?? 'an error'
    return `the provider answered "${code}"`
  }
  if (!(cause instanceof Error)) return 'unknown'
  const inner = cause.cause instanceof Error && cause.cause.message !== cause.message ? ` (${cause.cause.message})` : ''
  return printable(`${cause.message}${inner}`).slice(0, LONGEST_REASON)
}
