// The operations of the API on teams, with who may call them.

import * as z from 'zod'
import { operation, problemResponse } from './operation.ts'
import { TEAMS, TEAMS_STORED } from './teams.ts'

export const TEAM_OPERATIONS = {
  getTeams: operation({
    id: 'getTeams',
    method: 'GET',
    url: '/v1/teams',
    need: { role: 'viewer', scope: 'site' },
    summary: 'The teams document; its ETag is needed to replace it',
    answerHeader: 'etag',
    schema: { response: { 200: TEAMS } },
  }),
  replaceTeams: operation({
    id: 'replaceTeams',
    method: 'PUT',
    url: '/v1/teams',
    need: { role: 'admin', scope: 'site' },
    summary: 'Replace the teams document that If-Match names: teams, their projects and their people',
    schema: {
      headers: z.object({
        'if-match': z
          .string()
          .max(200)
          .exactOptional()
          .describe('ETag of the document to replace; * for any; optional only when there is none yet'),
      }),
      body: TEAMS,
      response: {
        200: TEAMS_STORED,
        412: problemResponse('The document was changed since; the title says by whom and what'),
        428: problemResponse('There is a document already, and If-Match does not say which one was seen'),
      },
    },
  }),
}
