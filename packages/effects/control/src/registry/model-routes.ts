import { OPERATIONS } from '@ironlaw/contracts/operations'
import { listArtifacts } from '@ironlaw/store'
import { requireRoleInPath } from '../http/authorization.ts'
import { sequenceCursor, sequencePosition } from '../http/cursors.ts'
import { route } from '../http/operation.ts'
import type { Api, ApiPorts } from '../http/ports.ts'
import { modelSummaries, modelView, requireModel } from './model-views.ts'

export function addModelRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.listModels),
    handler: async (request) => {
      const { project } = request.params
      requireRoleInPath(request, 'viewer', project)
      const { limit, cursor } = request.query
      const before = sequencePosition(cursor)
      const rows = await listArtifacts(database, { project, type: 'model' }, { limit, ...(before !== undefined && { before }) })
      const last = rows.length === limit ? rows.at(-1) : undefined
      return { items: await modelSummaries(database, project, rows), next: last ? sequenceCursor(last.sequence) : null }
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
}
