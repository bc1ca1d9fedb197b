// Tokens of people and gateways. Whoever is admin of projects manages the tokens that hold in these projects only; the rest is for admins of
// the whole site.

import { EVERY_PROJECT, hasRole, IronlawError, PROJECT_ROLES } from '@ironlaw/contracts'
import type { TokenView } from '@ironlaw/contracts/api'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { type Database, listPrincipals, type Principal, principalNamed, revokePrincipal } from '@ironlaw/store'
import type { FastifyRequest } from 'fastify'
import { issueToken, rotateToken } from '../access/tokens.ts'
import { actorOf } from './authentication.ts'
import { callerOf, requireRole } from './authorization.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'

export function addTokenRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.getPrincipal),
    handler: async (request) => {
      const caller = callerOf(request)
      if (caller.kind !== 'person') throw new IronlawError('IL_UNAUTHENTICATED', {})
      return { id: caller.id, name: caller.name, grants: [...caller.grants] }
    },
  })
  app.route({
    ...route(OPERATIONS.listTokens),
    handler: async (request) => ({
      items: (await listPrincipals(database)).filter((each) => manages(request, each)).flatMap(tokenView),
      next: null,
    }),
  })
  app.route({
    ...route(OPERATIONS.createToken),
    handler: async (request, reply) => {
      const { name, role, projects, gateway, expires_at } = request.body
      const created_at = now()
      const isBound = gateway === undefined || role === 'gateway'
      if (!isBound) throw new IronlawError('IL_INVALID', { path: 'body.gateway', problem: 'only a token of the role gateway has one' })
      if (role === 'gateway' && projects) throw new IronlawError('IL_INVALID', { path: 'body.projects', problem: 'a gateway has none' })
      if (expires_at !== undefined && expires_at <= created_at)
        throw new IronlawError('IL_INVALID', { path: 'body.expires_at', problem: 'is not in the future' })
      for (const project of projects ?? [EVERY_PROJECT]) requireRole(request, 'admin', project)
      const options = {
        ...(projects && { projects }),
        ...(gateway !== undefined && { gateway }),
        ...(expires_at !== undefined && { expires_at }),
      }
      const { id, secret } = await issueToken(database, { name, role, ...options, actor: actorOf(request), at: created_at })
      return reply.code(201).send({ id, name, role, ...options, created_at, secret })
    },
  })
  app.route({
    ...route(OPERATIONS.revokeToken),
    handler: async (request, reply) => {
      const { id } = request.params
      await requireToken(database, request, id)
      const event = { kind: 'token-revoked', actor: actorOf(request), at: now(), body: { id } }
      if ((await revokePrincipal(database, id, event)) === 'unknown') throw new IronlawError('IL_NOT_FOUND', { kind: 'valid token', id })
      return reply.code(204).send(null)
    },
  })
}

export function addRotationRoute(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.rotateToken),
    handler: async (request) => {
      const { id } = request.params
      const caller = callerOf(request)
      const isOwn = caller.kind === 'person' && caller.id === id
      const { overlap_s, expires_at } = request.body
      if (!isOwn) await requireToken(database, request, id)
      else if (expires_at !== undefined) await requireOwnExpiry(database, request, id)
      const secret = await rotateToken(database, {
        id,
        overlap_s,
        ...(expires_at !== undefined && { expires_at }),
        actor: actorOf(request),
        at: now(),
      })
      const rotated = await principalNamed(database, id)
      const [view] = rotated ? tokenView(rotated) : []
      if (secret === undefined || !view) throw new IronlawError('IL_NOT_FOUND', { kind: 'valid token', id })
      return { ...view, secret }
    },
  })
}

async function requireToken(database: Database, request: FastifyRequest, id: string): Promise<void> {
  const found = await principalNamed(database, id)
  if (found && manages(request, found)) return
  request.refusedProject = found?.grants[0]?.project ?? null
  throw new IronlawError('IL_NOT_FOUND', { kind: 'valid token', id })
}

/** Nobody may prolong their own token without being able to make one. */
async function requireOwnExpiry(database: Database, request: FastifyRequest, id: string): Promise<void> {
  const found = await principalNamed(database, id)
  if (!found || !manages(request, found)) throw new IronlawError('IL_FORBIDDEN', { need: 'the role admin', has: 'its own use' })
}

/** Whether the caller is admin wherever a token holds. */
function manages(request: FastifyRequest, { role, grants }: Principal): boolean {
  const caller = callerOf(request)
  if (role !== 'person' || grants.length === 0) return hasRole(caller, 'admin', EVERY_PROJECT)
  return grants.every(({ project }) => hasRole(caller, 'admin', project))
}

function tokenView({
  id,
  name,
  role,
  grants,
  gateway_id,
  created_at,
  expires_at,
  last_used_at,
  revoked_at,
}: Principal): readonly TokenView[] {
  if (role === 'run') return []
  const highest = PROJECT_ROLES.findLast((each) => grants.some((grant) => grant.role === each)) ?? 'viewer'
  const projects = grants.map(({ project }) => project)
  return [
    {
      id,
      name,
      role: role === 'gateway' ? role : highest,
      ...(role === 'person' && !projects.includes(EVERY_PROJECT) && { projects }),
      ...(gateway_id !== null && { gateway: gateway_id }),
      created_at,
      ...(expires_at !== null && { expires_at }),
      ...(last_used_at !== null && { last_used_at }),
      ...(revoked_at !== null && { revoked_at }),
    },
  ]
}
