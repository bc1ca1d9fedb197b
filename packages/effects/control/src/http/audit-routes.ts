// The audit trail: proven unaltered, and who changed what through the API or was refused.

import { EVERY_PROJECT, projectsOf } from '@ironlaw/contracts'
import { type AccessRecord, ACCESS_RESULTS } from '@ironlaw/contracts/audit-api'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { contradictedHeads, type Event, listAccess } from '@ironlaw/store'
import { ACCESS_KINDS } from '../access/access-trail.ts'
import { audit } from '../access/audit.ts'
import { accessCursor, accessPosition, auditCursor, auditPosition } from './cursors.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'

const REFUSED = [ACCESS_KINDS.refused, ACCESS_KINDS['left-out']]

export function addAuditRoutes(app: Api, { database, auditSinks }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.audit),
    handler: async ({ query: { cursor, limit } }) => {
      const { items, last } = await audit(database, { limit, after: auditPosition(cursor) })
      return { items, next: last === undefined ? null : auditCursor(last) }
    },
  })
  app.route({
    ...route(OPERATIONS.checkHeads),
    handler: async ({ body: { heads } }) => ({ contradicted: [...(await contradictedHeads(database, heads))] }),
  })
  app.route({ ...route(OPERATIONS.listAuditSinks), handler: async () => ({ items: [...auditSinks()], next: null }) })
  app.route({
    ...route(OPERATIONS.listAccess),
    handler: async ({ principal, query: { project, who, since, refused, limit, cursor } }) => {
      const own = principal ? projectsOf(principal, 'admin') : []
      const before = accessPosition(cursor)
      const filter = {
        ...projectFilter(own, project),
        ...(who !== undefined && { who }),
        ...(since !== undefined && { since_at: since }),
        ...(refused === 'true' && { kinds: REFUSED }),
      }
      const found = await listAccess(database, filter, { limit, ...(before && { before }) })
      const last = found.length === limit ? found.at(-1) : undefined
      return { items: found.map(recordView), next: last ? accessCursor(last) : null }
    },
  })
}

/** Records without a project are about the site. */
function projectFilter(own: ReturnType<typeof projectsOf>, project: string | undefined): { readonly projects?: readonly string[] } {
  if (own === EVERY_PROJECT) return project === undefined ? {} : { projects: [project] }
  return { projects: project === undefined ? own : own.filter((each) => each === project) }
}

function recordView({ at, actor, kind, body, stream, sequence, hash }: Event): AccessRecord {
  return {
    at,
    who: actor,
    result: ACCESS_RESULTS.find((result) => ACCESS_KINDS[result] === kind) ?? 'failed',
    ...textsOf(body),
    ...(typeof body['status'] === 'number' && { status: body['status'] }),
    ...(typeof body['count'] === 'number' && { count: body['count'] }),
    stream,
    sequence,
    hash,
  }
}

const TEXTS = ['from', 'operation', 'object', 'project', 'request'] as const

const textsOf = (body: Event['body']): Partial<Record<(typeof TEXTS)[number], string>> =>
  Object.fromEntries(TEXTS.flatMap((name) => (typeof body[name] === 'string' ? [[name, body[name]]] : [])))
