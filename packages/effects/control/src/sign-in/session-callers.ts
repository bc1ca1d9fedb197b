// The caller of a request that carries a session: in a cookie, or as the token of the command line. What they may do is worked out each time,
// so that a change of the teams acts at once.

import type { FastifyRequest } from 'fastify'
import type { Caller } from '../access/tokens.ts'
import { cookieOf } from './cookies.ts'
import { grantsOfGroups } from './grants.ts'
import { refuseOtherOrigins } from './same-origin.ts'
import { noGrant, sessionOfCookie, sessionOfToken, type SignIn } from './service.ts'
import { personId } from './sessions.ts'

export type SessionCallers = {
  /** What a request without a token carries instead, in the form of one. */
  readonly credentialOf: (request: FastifyRequest) => string | undefined
  /** Undefined where it carries no session that is valid. */
  readonly callerOf: (request: FastifyRequest) => Promise<Caller | undefined>
}

export function sessionCallers(signIn: SignIn): SessionCallers {
  const { settings } = signIn.provider
  return {
    credentialOf: ({ headers }) => {
      const secret = cookieOf(settings, 'ironlaw', headers.cookie)
      return secret === undefined ? undefined : `Bearer ${secret}`
    },
    callerOf: async (request) => {
      const isToken = request.headers.authorization !== undefined
      const session = await (isToken ? sessionOfToken : sessionOfCookie)(signIn, request)
      if (!session) return undefined
      if (!isToken) refuseOtherOrigins(request)
      const grants = await grantsOfGroups(signIn.database, session.groups)
      if (grants.length === 0) throw noGrant(session.groups, settings.groupsClaim)
      return { principal: { kind: 'person', id: personId(session), name: session.name, grants }, isClosed: false }
    },
  }
}
