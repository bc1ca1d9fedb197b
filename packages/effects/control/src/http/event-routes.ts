// What happened: listed, watched as it happens, and proven unaltered.

import { isAllowed } from '@ironlaw/contracts'
import type { EventView } from '@ironlaw/contracts/api'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { deploymentStream, type Event, eventsOf, feedAfter, feedEnd, FEED_START, newestEvents, runStream } from '@ironlaw/store'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireDeployment } from '../deploy/make-deployment.ts'
import { audit } from '../access/audit.ts'
import { principalOf } from '../access/tokens.ts'
import { feedCursor, feedPosition, runCursor, runPosition, streamCursor, streamPosition } from './cursors.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'
import { requireRun } from '../runs/run-view.ts'
import { wantsWatch, watch } from './watch.ts'

const WATCH_PAGE = 200

type Listing = {
  readonly stream: string
  readonly cursor?: string | undefined
  readonly newest?: number | undefined
  readonly limit: number
}

export function addEventRoutes(app: Api, { database, fleet, closing }: ApiPorts): void {
  const watchOptions = (request: FastifyRequest) => ({
    closing,
    isStillAllowed: async () => {
      const principal = await principalOf(database, request.headers.authorization)
      return principal !== undefined && isAllowed(principal, 'viewer')
    },
  })
  app.route({
    ...route(OPERATIONS.listEvents),
    handler: async (request, reply) => {
      const { cursor, limit } = request.query
      const eventsAfter = async (place: string, count: number) =>
        (await feedAfter(database, feedPosition(place), count)).map((event) => eventView(event, feedCursor(event)))
      if (!wantsWatch(request)) return page(await eventsAfter(cursor || feedCursor(FEED_START), limit), limit)
      const from = lastEventId(request) ?? (cursor || feedCursor(await feedEnd(database)))
      return watch(reply, { ...watchOptions(request), from, after: (place) => eventsAfter(place, WATCH_PAGE) })
    },
  })
  /** Of one run or deployment. */
  const listEvents = async (request: FastifyRequest, reply: FastifyReply, { stream, cursor, newest, limit }: Listing) => {
    const eventsAfter = async (place: string, count: number) =>
      (await eventsOf(database, stream, { after: streamPosition(place), limit: count })).map((event) =>
        eventView(event, streamCursor(event)),
      )
    if (wantsWatch(request)) {
      const from = lastEventId(request) ?? cursor ?? ''
      return watch(reply, { ...watchOptions(request), from, after: (place) => eventsAfter(place, WATCH_PAGE) })
    }
    if (newest === undefined) return page(await eventsAfter(cursor ?? '', limit), limit)
    return { items: (await newestEvents(database, stream, newest)).map((event) => eventView(event, streamCursor(event))), next: null }
  }
  app.route({
    ...route(OPERATIONS.listRunEvents),
    handler: async (request, reply) => {
      const { id } = await requireRun(database, request.params.id)
      return listEvents(request, reply, { stream: runStream(id), ...request.query })
    },
  })
  app.route({
    ...route(OPERATIONS.listDeploymentEvents),
    handler: async (request, reply) => {
      const { id } = await requireDeployment(database, request.params.name)
      return listEvents(request, reply, { stream: deploymentStream(id), ...request.query })
    },
  })
  app.route({
    ...route(OPERATIONS.audit),
    handler: async ({ query: { cursor, limit } }) => {
      const before = runPosition(cursor)
      const { items, last } = await audit(database, { cluster: fleet.cluster, limit, ...(before && { before }) })
      return { items, next: last ? runCursor(last) : null }
    },
  })
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
