// Plans, the ledger of all runs, nodes, tokens, and the API about itself.

import { IronlawError } from '@ironlaw/contracts'
import type { NodeView, TokenView } from '@ironlaw/contracts/api'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import {
  deploymentCounts,
  listPrincipals,
  listRuns,
  LIVE_STATES,
  liveRunCounts,
  planOf,
  type Principal,
  revokePrincipal,
} from '@ironlaw/store'
import { ledgerOfFleet } from '../ledger/fleet-ledger.ts'
import { drain, nodeViews, undrain } from '../fleet/nodes.ts'
import { storePlan } from '../runs/store-plan.ts'
import { sharedFor } from '../concurrent-calls/shared-result.ts'
import { runViews } from '../runs/run-view.ts'
import { issueToken } from '../access/tokens.ts'
import { actorOf } from './authentication.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'

const NODES_SHARED_MS = 1000
/** Each run adds some six series in Prometheus. */
const RUNS_MEASURED = 500

export function addFleetRoutes(app: Api, { database, fleet, now, metrics, hanging }: ApiPorts): void {
  const requirePlan = async (id: string) => {
    const found = await planOf(database, id)
    if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'plan', id })
    return { ...found, body: { ...found.body } }
  }
  app.route({ ...route(OPERATIONS.getPlan), handler: ({ params: { id } }) => requirePlan(id) })
  app.route({
    ...route(OPERATIONS.storePlan),
    handler: async (request, reply) => reply.code(201).send(await requirePlan(await storePlan(database, request.body, now()))),
  })
  app.route({
    ...route(OPERATIONS.getFleetLedger),
    handler: ({ query: { since, by } }) => ledgerOfFleet(database, { since_at: since, by, now: now() }),
  })
  // Each look starts a process of the cluster's tools: requests within a second share one, except after a change.
  const sharedCapacity = () => sharedFor(NODES_SHARED_MS, () => fleet.executor.capacity())
  let capacity = sharedCapacity()
  const refreshAfter = async (order: Promise<NodeView>): Promise<NodeView> => {
    const node = await order
    capacity = sharedCapacity()
    return node
  }
  app.route({
    ...route(OPERATIONS.listNodes),
    handler: async () => ({ items: await nodeViews(database, { ...fleet, executor: { capacity } }), next: null }),
  })
  app.route({
    ...route(OPERATIONS.drainNode),
    handler: (request) =>
      refreshAfter(drain(database, fleet, { name: request.params.name, reason: request.body.reason, actor: actorOf(request), at: now() })),
  })
  app.route({
    ...route(OPERATIONS.undrainNode),
    handler: (request) => refreshAfter(undrain(database, fleet, { name: request.params.name, actor: actorOf(request), at: now() })),
  })
  app.route({
    ...route(OPERATIONS.openApi),
    handler: async () => ({ openapi: '3.1.0', ...app.swagger() }),
  })
  app.route({
    ...route(OPERATIONS.metrics),
    handler: async (_request, reply) => {
      const [runs, deployments, newest] = await Promise.all([
        liveRunCounts(database),
        deploymentCounts(database),
        listRuns(database, { states: LIVE_STATES }, { limit: RUNS_MEASURED }),
      ])
      const live = await runViews(database, newest)
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics.text({ runs, live, deployments, hanging: hanging() }))
    },
  })
}

export function addTokenRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.listTokens),
    handler: async () => ({ items: (await listPrincipals(database)).flatMap(tokenView), next: null }),
  })
  app.route({
    ...route(OPERATIONS.createToken),
    handler: async (request, reply) => {
      const { name, role } = request.body
      const created_at = now()
      const { id, secret } = await issueToken(database, { name, role, actor: actorOf(request), at: created_at })
      return reply.code(201).send({ id, name, role, created_at, secret })
    },
  })
  app.route({
    ...route(OPERATIONS.revokeToken),
    handler: async (request, reply) => {
      const { id } = request.params
      const event = { kind: 'token-revoked', actor: actorOf(request), at: now(), body: { id } }
      if ((await revokePrincipal(database, id, event)) === 'unknown') throw new IronlawError('IL_NOT_FOUND', { kind: 'valid token', id })
      return reply.code(204).send(null)
    },
  })
}

function tokenView({ id, name, role, created_at, revoked_at }: Principal): readonly TokenView[] {
  return role === 'run' ? [] : [{ id, name, role, created_at, ...(revoked_at !== null && { revoked_at }) }]
}
