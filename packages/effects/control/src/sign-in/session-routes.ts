// Who is signed in, and ending it: for somebody who left, or a machine that was lost.

import { IronlawError } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { endSession, type Session } from '@ironlaw/store'
import { actorOf } from '../http/authentication.ts'
import { route } from '../http/operation.ts'
import type { Api, ApiPorts } from '../http/ports.ts'
import { liveSessions, personId } from './sessions.ts'

export function addSessionRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.listSessions),
    handler: async () => ({ items: (await liveSessions(database, now())).map(sessionView), next: null }),
  })
  app.route({
    ...route(OPERATIONS.revokeSession),
    handler: async (request, reply) => {
      const { id } = request.params
      const event = { kind: 'session-revoked', actor: actorOf(request), at: now(), body: { session: id } }
      if ((await endSession(database, id, event)) === 'unknown') throw new IronlawError('IL_NOT_FOUND', { kind: 'session', id })
      return reply.code(204).send(null)
    },
  })
}

const sessionView = ({ id, subject, name, kind, issued_at, last_used_at, expires_at }: Session) => ({
  id,
  person: personId({ subject }),
  name,
  kind,
  issued_at,
  last_used_at,
  expires_at,
})
