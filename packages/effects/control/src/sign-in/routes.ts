// Signing in with a browser: to the provider (authorisation code with PKCE) and back, into a session that a cookie carries.

import { IronlawError } from '@ironlaw/contracts'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { endSession } from '@ironlaw/store'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { route } from '../http/operation.ts'
import type { Api } from '../http/ports.ts'
import { problemOf } from '../http/problem.ts'
import { type Rate, RateLimit } from '../http/rate-limit.ts'
import { clearCookie, cookieOf, setCookie } from './cookies.ts'
import { addDeviceRoutes } from './device-routes.ts'
import type { Identity } from './identity.ts'
import { PAGE_HEADERS, signInPage } from './page.ts'
import { newChecks, type SignInChecks } from './provider.ts'
import { refuseOtherOrigins } from './same-origin.ts'
import { refusals, sessionOfCookie, sessionOfToken, type SignIn, takeOne, welcome } from './service.ts'
import { personId, SESSION_VALID_S } from './sessions.ts'
import { CALLBACK } from './settings.ts'

/** Time to find the password and the second factor. */
const SIGN_IN_WITHIN_S = 600

/** By address: each costs a request to the provider and needs no authentication. */
const CALLBACKS: Rate = { perSecond: 1, burst: 60 }

/** Where the person was: always behind the `#` of the console, so that it leads nowhere else. */
const PAGE = /^\/[\w!$&'()*+,;=:@/?.~%-]{0,1500}$/

const BEGUN = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), page: z.string().regex(PAGE) })
type Begun = z.infer<typeof BEGUN>

export function addSignInRoutes(app: Api, signIn: SignIn | undefined): void {
  addOwnSessionRoutes(app, signIn)
  addDeviceRoutes(app, signIn)
  if (signIn) addBrowserRoutes(app, signIn)
}

function addOwnSessionRoutes(app: Api, signIn: SignIn | undefined): void {
  app.route({
    ...route(OPERATIONS.getSignInOptions),
    handler: async (request) => {
      if (!signIn) return {}
      const session = await sessionOfCookie(signIn, request)
      return {
        provider: { host: new URL(signIn.provider.settings.issuer).host },
        ...(session && { session: { name: session.name, expires_at: session.expires_at } }),
      }
    },
  })
  app.route({
    ...route(OPERATIONS.signOut),
    handler: async (request, reply) => {
      if (!signIn) throw new IronlawError('IL_NO_SIGN_IN', {})
      const { database, provider, now } = signIn
      const isToken = request.headers.authorization !== undefined
      if (!isToken) refuseOtherOrigins(request)
      const session = await (isToken ? sessionOfToken : sessionOfCookie)(signIn, request)
      if (!session) throw new IronlawError('IL_UNAUTHENTICATED', {})
      const event = { kind: 'signed-out', actor: personId(session), at: now(), body: { session: session.id } }
      await endSession(database, session.id, event)
      if (isToken) return {}
      reply.header('set-cookie', clearCookie(provider.settings, 'ironlaw'))
      // The session is over, whether or not the provider answers.
      const url = await provider.signOutUrl().catch(() => undefined)
      return url ? { provider: url.href } : {}
    },
  })
}

function addBrowserRoutes(app: Api, signIn: SignIn): void {
  const { provider } = signIn
  const { settings } = provider
  const refuse = refusals(signIn)
  const callbacks = new RateLimit(CALLBACKS, () => performance.now() / 1000)
  const open = { config: { open: true as const }, schema: { hide: true } }
  app.get('/v1/sign-in', open, async ({ query, log, id }, reply) => {
    const page = z.object({ page: z.string().regex(PAGE) }).safeParse(query)
    const begun: Begun = { ...newChecks(), page: page.success ? page.data.page : '/runs' }
    try {
      const url = await provider.authorizationUrl(begun)
      const value = Buffer.from(JSON.stringify(begun)).toString('base64url')
      reply.header('set-cookie', setCookie(settings, 'ironlaw-sign-in', { value, maxAge_s: SIGN_IN_WITHIN_S }))
      return await reply.redirect(url.href, 302)
    } catch (error) {
      log.warn({ err: error }, 'sign-in')
      return sendRefusal(reply, error, id)
    }
  })
  app.get(CALLBACK, open, async (request, reply) => {
    const { ip, log, id } = request
    let identity: Identity | undefined
    try {
      takeOne(callbacks, CALLBACKS, ip)
      const begun = begunSignIn(cookieOf(settings, 'ironlaw-sign-in', request.headers.cookie))
      identity = await provider.identify(redirectedTo(request, settings.publicUrl()), begun)
      const { secret } = await welcome(signIn, identity, 'console')
      reply.header('set-cookie', [
        clearCookie(settings, 'ironlaw-sign-in'),
        setCookie(settings, 'ironlaw', { value: secret, maxAge_s: SESSION_VALID_S }),
      ])
      return await reply.redirect(`/console/#${begun.page}`, 302)
    } catch (error) {
      log.warn({ err: error }, 'sign-in')
      await refuse({ error, ip, by: 'console', identity })
      reply.header('set-cookie', clearCookie(settings, 'ironlaw-sign-in'))
      return sendRefusal(reply, error, id)
    }
  })
}

const redirectedTo = ({ url }: FastifyRequest, publicUrl: string): URL => new URL(url, publicUrl)

function begunSignIn(cookie: string | undefined): SignInChecks & { readonly page: string } {
  const begun = BEGUN.safeParse(parsedJson(Buffer.from(cookie ?? '', 'base64url').toString('utf8')))
  if (begun.success) return begun.data
  throw new IronlawError('IL_SIGN_IN', {
    reason: 'it was not begun in this browser, or more than ten minutes ago',
    next: 'open the console and sign in there',
  })
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Anybody may send any cookie; the schema refuses it.
    return undefined
  }
}

function sendRefusal(reply: FastifyReply, error: unknown, request: string): FastifyReply {
  const { status, title, next } = problemOf(error, request)
  const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  return reply
    .code(status)
    .headers(PAGE_HEADERS)
    .send(signInPage('Not signed in', [sentence(title), `What to do: ${next}.`]))
}
