// Authentication and authorization, before anything else is read of a request, also for a path that does not exist.

import { grantsText, IronlawError, isAllowed, type Need, type Principal } from '@ironlaw/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, isToken } from '../access/tokens.ts'
import type { SessionCallers } from '../sign-in/session-callers.ts'
import type { CallerLimit } from './api-limits.ts'
import type { KnownTokens } from './known-tokens.ts'
import { clientNetwork, OverLimit, type Rate, type RateLimit } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until authentication has run. */
    principal: Principal | null
    /** Whose it is by now, for an answer that goes on for long; null once its token or session is no longer valid. */
    currentPrincipal: (() => Promise<Principal | null>) | null
  }
}

/** The owner of a request's token; null when the token is not valid. */
type FindCaller = (asking: { readonly authorization: string | undefined; readonly at: number }) => Promise<Caller | null>

export type Authenticator = {
  readonly admit: FindCaller
  readonly now: () => number
  /** By address: well-formed tokens that are not valid. Each costs a query, so their rate is limited. */
  readonly failures: Pick<RateLimit, 'wait_s' | 'take'>
  /** Tokens that were valid lately: others at the same address cannot lock them out. */
  readonly known: KnownTokens
  /** Of people who signed in at the identity provider, where there is one. */
  readonly sessions: SessionCallers | undefined
  /** Throws where the caller asks too often. */
  readonly limit: CallerLimit
}

/** A whole script with an old token, or a room full of people after a rotation; then ten a second. */
export const FAILED_TOKENS: Rate = { perSecond: 10, burst: 500 }

export function addAuthentication(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('principal', null)
  app.decorateRequest('currentPrincipal', null)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.open) return
    const { principal, isClosed } = await authenticate(authenticator, request)
    request.principal = principal
    request.currentPrincipal = async () => (await findCaller(authenticator, request))?.principal ?? null
    authenticator.limit(request)
    const { need } = request.routeOptions.config
    if (need === undefined) throw new IronlawError('IL_NOT_FOUND', { kind: 'path', id: pathOf(request) })
    if (!isAllowed(principal, need) || !isOwn(principal, request))
      throw new IronlawError('IL_FORBIDDEN', { need: needText(need), has: hasText(principal) })
    // Said as to any attempt that is over: agents that still run stop at that.
    if (isClosed && principal.kind === 'run') throw new IronlawError('IL_FENCED', { run: principal.run, attempt: attemptOf(request) })
  })
}

export async function authenticate(authenticator: Authenticator, request: FastifyRequest): Promise<Caller> {
  const { failures, known, sessions } = authenticator
  const { authorization } = request.headers
  const credential = authorization ?? sessions?.credentialOf(request)
  if (credential === undefined || !isToken(credential)) throw new IronlawError('IL_UNAUTHENTICATED', {})
  const client = clientNetwork(request.ip)
  const wait_s = failures.wait_s(client)
  if (wait_s > 0 && !known.has(credential)) throw new OverLimit('tokens that are not valid', FAILED_TOKENS, wait_s)
  const caller = await findCaller(authenticator, request)
  if (caller) {
    known.add(credential)
    return caller
  }
  known.delete(credential)
  failures.take(client)
  throw new IronlawError('IL_UNAUTHENTICATED', {})
}

async function findCaller({ admit, now, sessions }: Authenticator, request: FastifyRequest): Promise<Caller | undefined> {
  const { authorization } = request.headers
  const caller = authorization === undefined ? null : await admit({ authorization, at: now() })
  return caller ?? (await sessions?.callerOf(request))
}

const attemptOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && 'attempt' in params ? String(params.attempt) : ''

const pathOf = (request: FastifyRequest): string => `${request.method} ${request.url.split('?')[0]?.slice(0, 100) ?? ''}`

/** A job's token opens its own run and no other. */
function isOwn(principal: Principal, { params }: FastifyRequest): boolean {
  if (principal.kind !== 'run') return true
  return typeof params === 'object' && params !== null && 'id' in params && params.id === principal.run
}

function needText(need: Need): string {
  if (need === 'run') return 'the token of that run'
  if (need === 'gateway') return 'the token of a gateway'
  return need.scope === 'site' ? `the role ${need.role} everywhere` : `the role ${need.role}`
}

export function hasText(principal: Principal): string {
  switch (principal.kind) {
    case 'run':
      return 'one run'
    case 'gateway':
      return 'the role gateway'
    case 'person':
      return grantsText(principal.grants)
  }
}

/** Who did it, as events tell it. */
export function actorOf({ principal }: FastifyRequest): string {
  return principal?.kind === 'run' ? `run/${principal.run}` : (principal?.id ?? 'nobody')
}
