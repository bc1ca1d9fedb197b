// Sessions: opened when the provider has said who a person is, found again by the secret that a cookie or a token carries.

import { hash, randomBytes } from 'node:crypto'
import { createSession, type Database, listSessions, recordSessionUse, type Session, sessionOf } from '@ironlaw/store'
import { randomId } from '../access/tokens.ts'
import type { Identity } from './identity.ts'

/** A working day, after which the provider is asked again whether the person is still there. */
export const SESSION_VALID_S = 12 * 3600
/** A browser that was left. */
const IDLE_S = 2 * 3600
/** How exactly the last use is known: each writing costs a statement. */
const USE_WRITTEN_S = 60

const SECRET_BYTES = 32
const SECRET = /^il_[\w-]{43}$/

type OpenedSession = { readonly secret: string; readonly expires_at: number }

export type SessionKind = Session['kind']

type SessionRequest = { readonly identity: Identity; readonly kind: SessionKind; readonly issuer: string; readonly at: number }

export async function openSession(database: Database, { identity, kind, issuer, at }: SessionRequest): Promise<OpenedSession> {
  const secret = `il_${randomBytes(SECRET_BYTES).toString('base64url')}`
  const id = `session-${randomId()}`
  const expires_at = at + SESSION_VALID_S
  const event = { kind: 'signed-in', actor: personId(identity), at, body: { session: id, by: kind, name: identity.name } }
  await createSession(database, { id, secret_hash: hash('sha256', secret), kind, issuer, ...identity, issued_at: at, expires_at }, event)
  return { secret, expires_at }
}

export const personId = ({ subject }: Pick<Identity, 'subject'>): string => `oidc:${subject}`

type SessionQuery = Omit<SessionRequest, 'identity'> & { readonly secret: string | undefined }

/** Undefined where it has ended. A session of one kind is none of the other: what was for a browser does not work as a token. */
export async function findSession(database: Database, { secret, kind, issuer, at }: SessionQuery): Promise<Session | undefined> {
  if (secret === undefined || !SECRET.test(secret)) return undefined
  const session = await sessionOf(database, hash('sha256', secret), at)
  if (!session || session.kind !== kind || session.issuer !== issuer) return undefined
  if (isIdle(session, at)) return undefined
  if (at >= session.last_used_at + USE_WRITTEN_S) await recordSessionUse(database, session.id, at)
  return session
}

const isIdle = ({ kind, last_used_at }: Session, at: number): boolean => kind === 'console' && at >= last_used_at + IDLE_S

/** Those that are still good for a request, oldest first. */
export const liveSessions = async (database: Database, at: number): Promise<readonly Session[]> =>
  (await listSessions(database, at)).filter((session) => !isIdle(session, at))
