// What happened: listed, and watched as it happens.

import { hasRole, projectsOf } from '@ironlaw/contracts'
import type { EventView } from '@ironlaw/contracts/api'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import {
  type Database,
  deploymentStream,
  type Event,
  eventsOf,
  feedAfter,
  feedEnd,
  FEED_START,
  newestEvents,
  projectFeed,
  runStream,
} from '@ironlaw/store'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { feedCursor, feedPosition, streamCursor, streamPosition } from './cursors.ts'
import { callerProjects, findDeployment } from './authorization.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'
import { requireRun } from '../runs/run-view.ts'
import { wantsWatch, watch } from './watch.ts'

const WATCH_PAGE = 200

type Listing = {
  readonly stream: string
  readonly project: string
  readonly cursor?: string | undefined
  readonly newest?: number | undefined
  readonly limit: number
}

export function addEventRoutes(app: Api, { database, closing }: ApiPorts): void {
  /** Of what belongs to a project, or of everything that the caller may see. */
  const watchOptions = (request: FastifyRequest, project?: string) => ({
    closing,
    isStillAllowed: async () => {
      const principal = await request.currentPrincipal?.()
      if (!principal) return false
      // What is visible follows the grants that the caller has by now.
      request.principal = principal
      return project === undefined ? projectsOf(principal, 'viewer').length > 0 : hasRole(principal, 'viewer', project)
    },
  })
  app.route({
    ...route(OPERATIONS.listEvents),
    handler: async (request, reply) => {
      const { cursor, limit } = request.query
      if (!wantsWatch(request)) {
        const { items, next } = await feedPage(database, request, { after: cursor || feedCursor(FEED_START), limit })
        return { items, next }
      }
      let reached = lastEventId(request) ?? (cursor || feedCursor(await feedEnd(database)))
      const after = async () => {
        const found = await feedPage(database, request, { after: reached, limit: WATCH_PAGE })
        reached = found.reached
        return found.items
      }
      return watch(reply, { ...watchOptions(request), from: reached, after })
    },
  })
  /** Of one run or deployment. */
  const listEvents = async (request: FastifyRequest, reply: FastifyReply, { stream, project, cursor, newest, limit }: Listing) => {
    const eventsAfter = async (place: string, count: number) =>
      (await eventsOf(database, stream, { after: streamPosition(place), limit: count })).map((event) =>
        eventView(event, streamCursor(event)),
      )
    if (wantsWatch(request)) {
      const from = lastEventId(request) ?? cursor ?? ''
      return watch(reply, { ...watchOptions(request, project), from, after: (place) => eventsAfter(place, WATCH_PAGE) })
    }
    if (newest === undefined) return page(await eventsAfter(cursor ?? '', limit), limit)
    return { items: (await newestEvents(database, stream, newest)).map((event) => eventView(event, streamCursor(event))), next: null }
  }
  app.route({
    ...route(OPERATIONS.listRunEvents),
    handler: async (request, reply) => {
      const { id, project } = await requireRun(database, request.params.id)
      return listEvents(request, reply, { stream: runStream(id), project, ...request.query })
    },
  })
  app.route({
    ...route(OPERATIONS.listDeploymentEvents),
    handler: async (request, reply) => {
      const { id, project } = await findDeployment(database, request, { name: request.params.name, role: 'viewer' })
      return listEvents(request, reply, { stream: deploymentStream(id), project, ...request.query })
    },
  })
}

type FeedPage = { readonly items: EventView[]; readonly next: string | null; readonly reached: string }

/** What the caller may see of the feed. */
async function feedPage(
  database: Database,
  request: FastifyRequest,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<FeedPage> {
  const projects = callerProjects(request, 'viewer')
  const viewsOf = (events: readonly Event[]) => events.map((event) => eventView(event, feedCursor(event)))
  if (projects === '*') {
    const items = viewsOf(await feedAfter(database, feedPosition(after), limit))
    return { ...page(items, limit), reached: items.at(-1)?.cursor ?? after }
  }
  const { events, reached, hasMore } = await projectFeed(database, { after: feedPosition(after), limit, projects })
  return { items: viewsOf(events), next: hasMore ? feedCursor(reached) : null, reached: feedCursor(reached) }
}

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

const page = (items: EventView[], limit: number) => ({ items, next: items.length === limit ? (items.at(-1)?.cursor ?? null) : null })

const eventView = ({ stream, sequence, at, kind, actor, body, hash }: Event, cursor: string): EventView => ({
  cursor,
  stream,
  sequence,
  at,
  kind,
  actor,
  body,
  hash,
})
