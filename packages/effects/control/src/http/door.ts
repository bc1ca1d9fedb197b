// The door: who asks, and may they. Before anything else is read of a request, also for a path that does not exist.

import { IronlawError, may, type Need, type Principal } from '@ironlaw/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Comer } from '../services/tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null only before the door. */
    principal: Principal | null
  }
}

/** Whose token came with a request; null when it is none that is valid. */
type Admit = (asking: { readonly authorization: string | undefined; readonly at: number }) => Promise<Comer | null>

export type Door = { readonly admit: Admit; readonly now: () => number }

export function addDoor(app: FastifyInstance, door: Door): void {
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request) => {
    const { principal, isClosed } = await authenticated(door, request)
    request.principal = principal
    const { need } = request.routeOptions.config
    if (need === undefined) throw new IronlawError('IL_NOT_FOUND', { kind: 'path', id: pathOf(request) })
    if (!may(principal, need) || !isOwn(principal, request))
      throw new IronlawError('IL_FORBIDDEN', { need: needText(need), has: hasText(principal) })
    // Said as to any attempt that is over: agents that still run stop at that.
    if (isClosed && principal.kind === 'run') throw new IronlawError('IL_FENCED', { run: principal.run, attempt: attemptOf(request) })
  })
}

export async function authenticated({ admit, now }: Door, { headers }: FastifyRequest): Promise<Comer> {
  const comer = await admit({ authorization: headers.authorization, at: now() })
  if (!comer) throw new IronlawError('IL_UNAUTHENTICATED', {})
  return comer
}

const attemptOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && 'attempt' in params ? String(params.attempt) : ''

const pathOf = (request: FastifyRequest): string => `${request.method} ${request.url.split('?')[0]?.slice(0, 100) ?? ''}`

/** A job's token opens its own run and no other. */
function isOwn(principal: Principal, { params }: FastifyRequest): boolean {
  if (principal.kind === 'person') return true
  return typeof params === 'object' && params !== null && 'id' in params && params.id === principal.run
}

const needText = (need: Need): string => (need === 'run' ? 'the token of that run' : `the role ${need}`)
const hasText = (principal: Principal): string => (principal.kind === 'run' ? 'one run' : `the role ${principal.role}`)

/** Who did it, as events tell it. */
export const actorOf = ({ principal }: FastifyRequest): string => (principal?.kind === 'person' ? principal.id : `run/${principal?.run}`)
