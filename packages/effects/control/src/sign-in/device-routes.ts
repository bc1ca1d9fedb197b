// Signing in from the command line (RFC 8628): the person confirms a code in any browser, and the command polls for a token.

import { IronlawError } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { route } from '../http/operation.ts'
import type { Api } from '../http/ports.ts'
import { type Rate, RateLimit } from '../http/rate-limit.ts'
import type { Identity } from './identity.ts'
import { refusals, type SignIn, takeOne, welcome } from './service.ts'

/** By address: each costs a request to the provider and needs no authentication. */
const STARTS: Rate = { perSecond: 0.2, burst: 20 }
const POLLS: Rate = { perSecond: 2, burst: 60 }

/** RFC 8628, section 3.2: where the provider says nothing. */
const INTERVAL_S = 5

export function addDeviceRoutes(app: Api, signIn: SignIn | undefined): void {
  const clock = () => performance.now() / 1000
  const [starts, polls] = [new RateLimit(STARTS, clock), new RateLimit(POLLS, clock)]
  const refuse = signIn ? refusals(signIn) : undefined
  app.route({
    ...route(OPERATIONS.startDeviceSignIn),
    handler: async ({ ip }, reply) => {
      const { provider } = configured(signIn)
      takeOne(starts, STARTS, ip)
      const { device_code, user_code, verification_uri, verification_uri_complete, interval, expires_in } = await provider.startDevice()
      return reply.code(201).send({
        device_code,
        user_code,
        verification_uri,
        ...(verification_uri_complete !== undefined && { verification_uri_complete }),
        interval_s: interval ?? INTERVAL_S,
        expires_in_s: expires_in,
      })
    },
  })
  app.route({
    ...route(OPERATIONS.pollDeviceSignIn),
    handler: async ({ body, ip }) => {
      const known = configured(signIn)
      takeOne(polls, POLLS, ip)
      let identity: Identity | undefined
      try {
        const poll = await known.provider.pollDevice(body.device_code)
        if (poll.state === 'pending') return { state: 'pending' as const, slow_down: poll.slower }
        identity = poll.identity
        const { secret, expires_at } = await welcome(known, identity, 'command-line')
        return { state: 'signed-in' as const, token: secret, expires_at, name: identity.name }
      } catch (error) {
        await refuse?.({ error, ip, by: 'command-line', identity })
        throw error
      }
    },
  })
}

function configured(signIn: SignIn | undefined): SignIn {
  if (signIn) return signIn
  throw new IronlawError('IL_NO_SIGN_IN', {})
}
