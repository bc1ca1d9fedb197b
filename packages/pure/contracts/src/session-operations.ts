// Sessions of people who signed in at the identity provider, as an administrator sees and ends them.

import * as z from 'zod'
import { page } from './api.ts'
import { operation } from './operation.ts'

const at = z.number().describe('Seconds since 1970-01-01 UTC')

const SESSION = z
  .object({
    id: z.string(),
    person: z.string().describe('As the audit trail names them'),
    name: z.string(),
    kind: z.enum(['console', 'command-line']),
    issued_at: at,
    last_used_at: at.describe('To the minute'),
    expires_at: at,
  })
  .meta({ id: 'Session' })

export const SESSIONS = {
  listSessions: operation({
    id: 'listSessions',
    method: 'GET',
    url: '/v1/sessions',
    need: { role: 'admin', scope: 'site' },
    summary: 'Who is signed in, in browsers and on the command line',
    schema: { response: { 200: page(SESSION) } },
  }),
  revokeSession: operation({
    id: 'revokeSession',
    method: 'DELETE',
    url: '/v1/sessions/:id',
    need: { role: 'admin', scope: 'site' },
    summary: 'End a session; its next request is refused',
    schema: {
      params: z.object({ id: z.string().regex(/^[\w-]{1,100}$/, 'an id as the list of sessions shows it') }),
      response: { 204: z.null() },
    },
  }),
}
