// The operations of the API on teams, with who may call them.

import { operation, SEEN_DOCUMENT_HEADERS, UNSEEN_PROBLEMS } from './operation.ts'
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
      headers: SEEN_DOCUMENT_HEADERS,
      body: TEAMS,
      response: {
        200: TEAMS_STORED,
        ...UNSEEN_PROBLEMS,
      },
    },
  }),
}
