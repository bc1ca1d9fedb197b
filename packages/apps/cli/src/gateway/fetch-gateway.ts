// One request to a gateway, which may have a certificate of the site's authority.

import { trustAuthority } from '@ironlaw/certificates/trust'
import { IronlawError } from '@ironlaw/contracts'
import { certificateAdvice } from '../api/certificate-advice.ts'

export type Gateway = {
  readonly url: string
  readonly key: string
  /** The authority of its certificate, in PEM, where this machine does not know it. */
  readonly ca?: string
}

export function fetchGateway({ url, key, ca }: Gateway, path: string, init: RequestInit = {}): Promise<Response> {
  if (ca !== undefined && url.startsWith('https:')) trustAuthority(ca)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(new URL(path, url), { ...init, headers }).catch((cause: unknown) => Promise.reject(unreachableError(url, cause)))
}

function unreachableError(url: string, cause: unknown): IronlawError {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause
  const [first] = inner instanceof AggregateError ? inner.errors : [inner]
  const reason = first instanceof Error ? first.message : String(first)
  const next = certificateAdvice(first, { program: 'ironlaw gateway', trust: 'pass --ca FILE' })
  return new IronlawError('IL_NO_GATEWAY', { url, reason }, { cause, ...(next !== undefined && { next }) })
}
