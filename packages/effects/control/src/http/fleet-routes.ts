// Plans, the ledger of all runs, nodes, tokens, and the API about itself.

import { EVERY_PROJECT, hasRole, IronlawError } from '@ironlaw/contracts'
import type { NodeView } from '@ironlaw/contracts/api'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { deploymentCounts, listRuns, LIVE_STATES, liveRunCounts, planOf, type ProjectScope } from '@ironlaw/store'
import { ledgerOfFleet } from '../ledger/fleet-ledger.ts'
import { drain, nodeViews, undrain } from '../fleet/nodes.ts'
import { storePlan } from '../runs/store-plan.ts'
import { sharedFor } from '../concurrent-calls/shared-result.ts'
import { runViews } from '../runs/run-view.ts'
import { actorOf } from './authentication.ts'
import { callerOf, callerProjects, requireRole } from './authorization.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'

const NODES_SHARED_MS = 1000
/** Each run adds some six series in Prometheus. */
const RUNS_MEASURED = 500

export function addPlanRoutes(app: Api, { database, now }: ApiPorts): void {
  const requirePlan = async (id: string, projects: ProjectScope) => {
    const found = await planOf(database, id, projects)
    if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'plan', id })
    return { ...found, body: { ...found.body } }
  }
  app.route({
    ...route(OPERATIONS.getPlan),
    handler: async (request) => {
      const { id } = request.params
      const projects = callerProjects(request, 'viewer')
      // Only the audit trail tells that other projects have it.
      if (projects !== EVERY_PROJECT && !(await planOf(database, id, projects)) && (await planOf(database, id, EVERY_PROJECT)))
        request.refusedProject = EVERY_PROJECT
      return requirePlan(id, projects)
    },
  })
  app.route({
    ...route(OPERATIONS.storePlan),
    handler: async (request, reply) => {
      const { project } = request.query
      requireRole(request, 'member', project)
      return reply.code(201).send(await requirePlan(await storePlan(database, request.body, { project, at: now() }), [project]))
    },
  })
}

export function addFleetRoutes(app: Api, { database, fleet, now, metrics, hanging }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.getFleetLedger),
    handler: (request) => {
      const { since, by } = request.query
      return ledgerOfFleet(database, { since_at: since, by, now: now(), projects: callerProjects(request, 'viewer') })
    },
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
    handler: async (request) => {
      const nodes = await nodeViews(database, { ...fleet, executor: { capacity } })
      // Why a node is out of service may name runs of other projects.
      const isSite = hasRole(callerOf(request), 'viewer', EVERY_PROJECT)
      return { items: isSite ? nodes : nodes.map(withoutReason), next: null }
    },
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
    handler: async (request, reply) => {
      const projects = callerProjects(request, 'viewer')
      const [runs, deployments, newest] = await Promise.all([
        liveRunCounts(database, projects),
        deploymentCounts(database, projects),
        listRuns(database, { projects, states: LIVE_STATES }, { limit: RUNS_MEASURED }),
      ])
      const live = await runViews(database, newest)
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics.text({ runs, live, deployments, hanging: hanging() }))
    },
  })
}

function withoutReason(node: NodeView): NodeView {
  const { reason: _, ...rest } = node
  return rest
}
