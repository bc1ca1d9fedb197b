// Authentication and authorization, before anything else is read of a request, also for a path that does not exist.

import { IronlawError, isAllowed, type RequiredRole, type Principal } from '@ironlaw/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, isToken } from '../access/tokens.ts'
import type { KnownTokens } from './known-tokens.ts'
import { clientNetwork, OverLimit, type Rate, type RateLimit } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until authentication has run. */
    principal: Principal | null
  }
}

/** The owner of a request's token; null when the token is not valid. */
type FindCaller = (asking: { readonly authorization: string | undefined; readonly at: number }) => Promise<Caller | null>

export type Authenticator = {
  readonly admit: FindCaller
  readonly now: () => number
  /** By address: well-formed tokens that are not valid. Each costs a query, so their rate is limited. */
  readonly failures: RateLimit
  /** Tokens that were valid lately: others at the same address cannot lock them out. */
  readonly known: KnownTokens
}

/** A whole script with an old token, or a room full of people after a rotation; then ten a second. */
export const FAILED_TOKENS: Rate = { perSecond: 10, burst: 500 }

export function addAuthentication(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.open) return
    const { principal, isClosed } = await authenticate(authenticator, request)
    request.principal = principal
    const { need } = request.routeOptions.config
    if (need === undefined) throw new IronlawError('IL_NOT_FOUND', { kind: 'path', id: pathOf(request) })
    if (!isAllowed(principal, need) || !isOwn(principal, request))
      throw new IronlawError('IL_FORBIDDEN', { need: needText(need), has: hasText(principal) })
    // Said as to any attempt that is over: agents that still run stop at that.
    if (isClosed && principal.kind === 'run') throw new IronlawError('IL_FENCED', { run: principal.run, attempt: attemptOf(request) })
  })
}

export async function authenticate({ admit, now, failures, known }: Authenticator, { headers, ip }: FastifyRequest): Promise<Caller> {
  const { authorization } = headers
  if (authorization === undefined || !isToken(authorization)) throw new IronlawError('IL_UNAUTHENTICATED', {})
  const client = clientNetwork(ip)
  const wait_s = failures.wait_s(client)
  if (wait_s > 0 && !known.has(authorization)) throw new OverLimit('tokens that are not valid', FAILED_TOKENS, wait_s)
  const caller = await admit({ authorization, at: now() })
  if (caller) {
    known.add(authorization)
    return caller
  }
  known.delete(authorization)
  failures.take(client)
  throw new IronlawError('IL_UNAUTHENTICATED', {})
}

const attemptOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && 'attempt' in params ? String(params.attempt) : ''

const pathOf = (request: FastifyRequest): string => `${request.method} ${request.url.split('?')[0]?.slice(0, 100) ?? ''}`

/** A job's token opens its own run and no other. */
function isOwn(principal: Principal, { params }: FastifyRequest): boolean {
  if (principal.kind === 'person') return true
  return typeof params === 'object' && params !== null && 'id' in params && params.id === principal.run
}

const needText = (need: RequiredRole): string => (need === 'run' ? 'the token of that run' : `the role ${need}`)
const hasText = (principal: Principal): string => (principal.kind === 'run' ? 'one run' : `the role ${principal.role}`)

/** Who did it, as events tell it. */
export const actorOf = ({ principal }: FastifyRequest): string => (principal?.kind === 'person' ? principal.id : `run/${principal?.run}`)
