import { roleIn } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { listVersions } from '@ironlaw/store'
import { actorOf } from '../http/authentication.ts'
import { callerOf, requireRoleInPath } from '../http/authorization.ts'
import { sequenceCursor, sequencePosition } from '../http/cursors.ts'
import { route } from '../http/operation.ts'
import type { Api, ApiPorts } from '../http/ports.ts'
import { modelCardView } from './card-view.ts'
import { decideModel } from './decide-model.ts'
import { modelSummaries, modelView, requireModel } from './model-views.ts'
import { projectReleases } from './release-outcomes.ts'

export function addModelRoutes(app: Api, ports: ApiPorts): void {
  const { database, now } = ports
  app.route({
    ...route(OPERATIONS.listModels),
    handler: async (request) => {
      const { project } = request.params
      requireRoleInPath(request, 'viewer', project)
      const { limit, cursor, name, state } = request.query
      const before = sequencePosition(cursor)
      const at = now()
      const filter = { project, ...(name !== undefined && { name }), ...(state !== undefined && { state: { is: state, at } }) }
      const rows = await listVersions(database, filter, { limit, ...(before !== undefined && { before }) })
      const last = rows.length === limit ? rows.at(-1) : undefined
      return { items: await modelSummaries(database, rows, { project, now: at }), next: last ? sequenceCursor(last.sequence) : null }
    },
  })
  app.route({
    ...route(OPERATIONS.getModel),
    handler: async (request) => {
      const { project, artifact } = request.params
      requireRoleInPath(request, 'viewer', project)
      return modelView(database, await requireModel(database, project, artifact), now())
    },
  })
  app.route({
    ...route(OPERATIONS.getModelCard),
    handler: async (request) => {
      const { project, artifact } = request.params
      requireRoleInPath(request, 'viewer', project)
      return modelCardView(ports, await requireModel(database, project, artifact), request.query.format)
    },
  })
  app.route({
    ...route(OPERATIONS.listReleases),
    handler: async (request) => {
      const { project } = request.params
      requireRoleInPath(request, 'viewer', project)
      return projectReleases(database, { project, limit: request.query.limit })
    },
  })
  app.route({
    ...route(OPERATIONS.decideModel),
    handler: async (request, reply) => {
      const { project, artifact: reference } = request.params
      requireRoleInPath(request, 'operator', project)
      const key = request.headers['idempotency-key']
      const role = roleIn(callerOf(request), project)
      const options = { project, reference, actor: actorOf(request), role, at: now(), ...(key !== undefined && { key }) }
      return reply.code(201).send(await decideModel(database, request.body, options))
    },
  })
}
