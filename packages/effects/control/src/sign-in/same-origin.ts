// A browser sends a cookie along with whatever any page asks for. So a request that changes something by a cookie must prove that it comes from
// a page of this origin: by what browsers say of it and pages cannot write, and by a header that other origins may not send.

import { IronlawError } from '@ironlaw/contracts'
import type { FastifyRequest } from 'fastify'

const CONSOLE_HEADER = 'x-ironlaw-console'

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export function refuseOtherOrigins({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): void {
  if (READS.has(method)) return
  if (headers[CONSOLE_HEADER] !== undefined && isSameOrigin(headers)) return
  throw new IronlawError('IL_SIGN_IN', {
    reason: 'this request was not made by a page of this control plane',
    next: 'open the console and try there; programs send a token instead of a cookie',
  })
}

function isSameOrigin({ 'sec-fetch-site': site, origin, host }: FastifyRequest['headers']): boolean {
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && host !== undefined && URL.canParse(origin) && new URL(origin).host === host
}
