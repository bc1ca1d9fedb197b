import { OPERATIONS } from '@ironlaw/contracts/operations'
import { readTeams, writeTeams } from '../access/teams-document.ts'
import { actorOf } from './authentication.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'

export function addTeamRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.getTeams),
    handler: async (_request, reply) => {
      const { etag, teams } = await readTeams(database)
      return reply.header('etag', `"${etag}"`).send(teams)
    },
  })
  app.route({
    ...route(OPERATIONS.replaceTeams),
    handler: async (request, reply) => {
      const edit = { ifMatch: request.headers['if-match'], actor: actorOf(request), at: now() }
      const stored = await writeTeams(database, request.body, edit)
      return reply.header('etag', `"${stored.etag}"`).send(stored)
    },
  })
}
