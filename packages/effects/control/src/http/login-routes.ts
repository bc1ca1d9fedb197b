// Gives a browser a token without copying one by hand: a client with a token creates a one-time code, and the page exchanges it.

import { IronlawError } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { principalNamed } from '@ironlaw/store'
import { issueLoginCode, redeemLoginCode } from '../access/login-codes.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'
import { clientNetwork, OverLimit, type Rate, RateLimit } from './rate-limit.ts'

/** By address: 256 random bits cannot be guessed, but each try costs a query and needs no authentication. */
const FAILED_CODES: Rate = { perSecond: 1, burst: 20 }

export function addLoginRoutes(app: Api, { database, now }: ApiPorts): void {
  const failures = new RateLimit(FAILED_CODES, () => performance.now() / 1000)
  app.route({
    ...route(OPERATIONS.createLoginCode),
    handler: async ({ principal, headers }, reply) => {
      if (principal?.kind !== 'person') throw new IronlawError('IL_UNAUTHENTICATED', {})
      // A session is not a token that could be handed on.
      if (!(await principalNamed(database, principal.id))) throw sessionHasNoCode()
      const token = (headers.authorization ?? '').replace(/^Bearer /i, '')
      return reply.code(201).send(await issueLoginCode(database, { principal: principal.id, token, at: now() }))
    },
  })
  app.route({
    ...route(OPERATIONS.logIn),
    handler: async ({ body, ip }) => {
      const caller = clientNetwork(ip)
      const wait_s = failures.wait_s(caller)
      if (wait_s > 0) throw new OverLimit('login codes that are not valid', FAILED_CODES, wait_s)
      const token = await redeemLoginCode(database, body.code, now())
      if (token !== undefined) return { token }
      failures.take(caller)
      throw new IronlawError('IL_LOGIN_CODE', {})
    },
  })
}

const sessionHasNoCode = (): IronlawError =>
  new IronlawError('IL_CONFLICT', {
    problem: 'a session of the identity provider opens no other browser',
    next: 'open the address of the control plane in a browser and sign in there',
  })
