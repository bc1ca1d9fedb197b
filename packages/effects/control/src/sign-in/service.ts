// What the routes of signing in share: whom the provider identified gets a session, if any of their groups has a role here.

import { IronlawError } from '@ironlaw/contracts'
import { appendEvents, type Database, PRINCIPALS_STREAM, type Session } from '@ironlaw/store'
import type { FastifyRequest } from 'fastify'
import { clientNetwork, OverLimit, type Rate, RateLimit } from '../http/rate-limit.ts'
import { cookieOf } from './cookies.ts'
import { grantsOfGroups } from './grants.ts'
import type { Identity } from './identity.ts'
import type { IdentityProvider } from './provider.ts'
import { findSession, openSession, personId, type SessionKind } from './sessions.ts'

export type SignIn = {
  readonly database: Database
  readonly provider: IdentityProvider
  /** Unix seconds. */
  readonly now: () => number
}

/** Throws for a person who may do nothing here. */
export async function welcome({ database, provider, now }: SignIn, identity: Identity, kind: SessionKind) {
  const grants = await grantsOfGroups(database, identity.groups)
  if (grants.length === 0) throw noGrant(identity.groups, provider.settings.groupsClaim)
  return openSession(database, { identity, kind, issuer: provider.settings.issuer, at: now() })
}

/** The session of a request's cookie. */
export const sessionOfCookie = ({ database, provider, now }: SignIn, { headers }: FastifyRequest): Promise<Session | undefined> =>
  findSession(database, {
    secret: cookieOf(provider.settings, 'ironlaw', headers.cookie),
    kind: 'console',
    issuer: provider.settings.issuer,
    at: now(),
  })

/** The session of the command line whose token a request carries. */
export const sessionOfToken = ({ database, provider, now }: SignIn, { headers }: FastifyRequest): Promise<Session | undefined> =>
  findSession(database, {
    secret: /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1],
    kind: 'command-line',
    issuer: provider.settings.issuer,
    at: now(),
  })

const GROUPS_SHOWN = 20

export function noGrant(groups: readonly string[], groupsClaim: string): IronlawError {
  if (groups.length === 0)
    return new IronlawError('IL_SIGN_IN', {
      reason: `the identity provider sent no groups in the claim "${groupsClaim}"`,
      next: 'have an administrator of the provider add that claim, or start "ironlaw up" with another --oidc-groups-claim',
    })
  const rest = groups.length > GROUPS_SHOWN ? ` and ${groups.length - GROUPS_SHOWN} more` : ''
  return new IronlawError('IL_SIGN_IN', {
    reason: `none of your groups has a role here; the identity provider sent ${groups.slice(0, GROUPS_SHOWN).join(', ')}${rest}`,
    next: 'have an administrator add one of them to a team ("ironlaw get teams" prints the document, "ironlaw apply" stores it)',
  })
}

/** Anybody can be refused as often as they like; the trail keeps the first ones of each address and then some. */
const KEPT_OF_ADDRESS: Rate = { perSecond: 1 / 60, burst: 20 }
const KEPT_OF_ALL: Rate = { perSecond: 1 / 6, burst: 200 }

export type Refusal = { readonly error: unknown; readonly ip: string; readonly by: SessionKind; readonly identity?: Identity | undefined }

/** Keeps refused sign-ins in the trail of principals. */
export function refusals({ database, now }: SignIn): (refusal: Refusal) => Promise<void> {
  const clock = () => performance.now() / 1000
  const [ofAddress, ofAll] = [new RateLimit(KEPT_OF_ADDRESS, clock), new RateLimit(KEPT_OF_ALL, clock)]
  return async ({ error, ip, by, identity }) => {
    const client = clientNetwork(ip)
    if (!(error instanceof IronlawError) || error.code !== 'IL_SIGN_IN') return
    if (ofAddress.wait_s(client) > 0 || ofAll.wait_s('all') > 0) return
    ofAddress.take(client)
    ofAll.take('all')
    const actor = identity ? personId(identity) : 'nobody'
    const body = { reason: error.message, address: ip, by }
    await appendEvents(database, PRINCIPALS_STREAM, [{ kind: 'sign-in-refused', actor, at: now(), body }])
  }
}

export function takeOne(limit: RateLimit, rate: Rate, ip: string): void {
  const client = clientNetwork(ip)
  const wait_s = limit.wait_s(client)
  if (wait_s > 0) throw new OverLimit('sign-ins', rate, wait_s)
  limit.take(client)
}
