// Bearer tokens. A secret is 32 random bytes and leaves this process once; only its SHA-256 is kept. No salt and no slow hash: there
// is nothing to guess in 256 random bits, and a plain hash can be looked up by an index.

import { hash, randomBytes } from 'node:crypto'
import { EVERY_PROJECT, type Principal, type Role } from '@ironlaw/contracts'
import { type Bearer, bearersOf, BOOKS_OPEN_S, createPrincipal, type Database, recordUse, rotatePrincipal } from '@ironlaw/store'

const SECRET_BYTES = 32

/** The last use of a token is known to this: a write for every request would cost more than the request. */
const USE_RECORDED_S = 60

export const TOKEN_TEXT = /il_[\w-]{43}/g

export type IssuedToken = { readonly id: string; readonly secret: string }

type TokenRequest = {
  readonly name: string
  readonly role: Role
  /** Where a person has the role; everywhere when absent. */
  readonly projects?: readonly string[]
  /** The only gateway that the token speaks for; when absent, the first that uses it. */
  readonly gateway?: string
  readonly expires_at?: number
  readonly actor: string
  readonly at: number
}

export async function issueToken(
  database: Database,
  { name, role, projects, gateway, expires_at, actor, at }: TokenRequest,
): Promise<IssuedToken> {
  const id = `${name}-${randomId()}`
  const secret = newSecret()
  const grants = role === 'gateway' ? [] : (projects ?? [EVERY_PROJECT]).map((project) => ({ role, project }))
  const expiry = expires_at === undefined ? {} : { expires_at }
  const event = {
    kind: 'token-created',
    actor,
    at,
    body: { id, role, ...(projects && { projects }), ...(gateway !== undefined && { gateway }), ...expiry },
  }
  const kind = role === 'gateway' ? 'gateway' : 'person'
  const bound = gateway === undefined ? {} : { gateway_id: gateway }
  await createPrincipal(database, { id, name, role: kind, grants, ...bound, ...expiry, token_hash: hash('sha256', secret) }, event)
  return { id, secret }
}

type Rotation = {
  readonly id: string
  /** How long the secret before stays valid. */
  readonly overlap_s: number
  readonly expires_at?: number
  readonly actor: string
  readonly at: number
}

/** The new secret; undefined where there is no such valid token. */
export async function rotateToken(database: Database, { id, overlap_s, expires_at, actor, at }: Rotation): Promise<string | undefined> {
  const secret = newSecret()
  const expiry = expires_at === undefined ? {} : { expires_at }
  const event = { kind: 'token-rotated', actor, at, body: { id, overlap_s, ...expiry } }
  const rotation = { id, token_hash: hash('sha256', secret), old_until_at: at + overlap_s, ...expiry, event }
  return (await rotatePrincipal(database, rotation)) === 'applied' ? secret : undefined
}

/** The token that the agents of a run report with: good for that run and nothing else, until its books are closed. */
export async function issueRunToken(database: Database, { run, at }: { readonly run: string; readonly at: number }): Promise<string> {
  const id = `run-${run}-${randomId()}`
  const secret = newSecret()
  const event = { kind: 'token-created', actor: 'reconciler', at, body: { id, role: 'run', run } }
  await createPrincipal(database, { id, name: run, role: 'run', run_id: run, token_hash: hash('sha256', secret) }, event)
  return secret
}

/** For the token of a run, `isClosed` says that the run no longer accepts reports. */
export type Caller = { readonly principal: Principal; readonly isClosed: boolean }

type Credentials = { readonly authorization: string | undefined; readonly at: number }

export async function callersOf(database: Database, asking: readonly Credentials[]): Promise<readonly (Caller | null)[]> {
  const hashes = asking.map(({ authorization }) => hashOf(authorization))
  const known = hashes.filter((each) => each !== undefined)
  const at = Math.max(...asking.map((each) => each.at))
  const bearers = known.length === 0 ? new Map<string, Bearer>() : await bearersOf(database, { hashes: known, at })
  const unrecorded = [...bearers.values()].filter(
    ({ role, last_used_at }) => role !== 'run' && (last_used_at === null || at >= last_used_at + USE_RECORDED_S),
  )
  if (unrecorded.length > 0)
    await recordUse(
      database,
      unrecorded.map(({ id }) => id),
      at,
    )
  return asking.map((each, index) => callerFrom(bearers.get(hashes[index] ?? ''), each.at))
}

export async function principalOf(database: Database, { authorization, at }: Credentials): Promise<Principal | undefined> {
  const [found] = await callersOf(database, [{ authorization, at }])
  return found?.principal
}

/** Whether a text is well-formed as a token, without a query. */
export const isToken = (authorization: string | undefined): boolean => hashOf(authorization) !== undefined

function hashOf(authorization: string | undefined): string | undefined {
  const [, secret] = /^Bearer (il_[\w-]{43})$/i.exec(authorization ?? '') ?? []
  return secret === undefined ? undefined : hash('sha256', secret)
}

function callerFrom(bearer: Bearer | undefined, at: number): Caller | null {
  if (!bearer) return null
  const { id, name, role, grants, run_id, gateway_id, ended_at, project } = bearer
  switch (role) {
    case 'person':
      return { principal: { kind: 'person', id, name, grants }, isClosed: false }
    case 'gateway':
      return { principal: { kind: 'gateway', id, name, ...(gateway_id !== null && { gateway: gateway_id }) }, isClosed: false }
    case 'run': {
      const isClosed = ended_at !== null && at >= ended_at + BOOKS_OPEN_S
      return run_id === null ? null : { principal: { kind: 'run', run: run_id, project: project ?? '' }, isClosed }
    }
  }
}

const newSecret = (): string => `il_${randomBytes(SECRET_BYTES).toString('base64url')}`

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz123456789'

/** Fifty random bits: among a million of one name, two alike are expected once in two thousand such fleets. */
export const randomId = (): string => [...randomBytes(10)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
