// The door: who asks, and may they. Before anything else is read of a request, also for a path that does not exist.

import { IronlawError, may, type Need, type Principal } from '@ironlaw/contracts'
import type { Database } from '@ironlaw/store'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../services/tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null only before the door. */
    principal: Principal | null
  }
}

export function addDoor(app: FastifyInstance, database: Database): void {
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request) => {
    const principal = await authenticated(database, request)
    request.principal = principal
    const { need } = request.routeOptions.config
    if (need === undefined) throw new IronlawError('IL_NOT_FOUND', { kind: 'path', id: pathOf(request) })
    if (!may(principal, need) || !isOwn(principal, request))
      throw new IronlawError('IL_FORBIDDEN', { need: needText(need), has: hasText(principal) })
  })
}

export async function authenticated(database: Database, request: FastifyRequest): Promise<Principal> {
  const principal = await principalOf(database, request.headers.authorization)
  if (!principal) throw new IronlawError('IL_UNAUTHENTICATED', {})
  return principal
}

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
