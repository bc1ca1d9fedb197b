// Bearer tokens. A secret is 32 random bytes and leaves this process once; only its SHA-256 is kept. No salt and no slow hash: there
// is nothing to guess in 256 random bits, and a plain hash can be looked up by an index.

import { hash, randomBytes } from 'node:crypto'
import type { Principal, Role } from '@ironlaw/contracts'
import { type Bearer, bearersOf, BOOKS_OPEN_S, createPrincipal, type Database } from '@ironlaw/store'

const SECRET_BYTES = 32

export const TOKEN_TEXT = /il_[\w-]{43}/g

export type IssuedToken = { readonly id: string; readonly secret: string }

type TokenRequest = { readonly name: string; readonly role: Role; readonly actor: string; readonly at: number }

export async function issueToken(database: Database, { name, role, actor, at }: TokenRequest): Promise<IssuedToken> {
  const id = `${name}-${randomId()}`
  const secret = newSecret()
  const event = { kind: 'token-created', actor, at, body: { id, role } }
  await createPrincipal(database, { id, name, role, token_hash: hash('sha256', secret) }, event)
  return { id, secret }
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
  const bearers = known.length === 0 ? new Map<string, Bearer>() : await bearersOf(database, known)
  return asking.map(({ at }, index) => callerFrom(bearers.get(hashes[index] ?? ''), at))
}

export async function principalOf(database: Database, authorization: string | undefined): Promise<Principal | undefined> {
  const [found] = await callersOf(database, [{ authorization, at: 0 }])
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
  const { id, name, role, run_id, gateway_id, ended_at } = bearer
  const gateway = gateway_id === null ? {} : { gateway: gateway_id }
  if (role !== 'run') return { principal: { kind: 'person', id, name, role, ...gateway }, isClosed: false }
  const isClosed = ended_at !== null && at >= ended_at + BOOKS_OPEN_S
  return run_id === null ? null : { principal: { kind: 'run', run: run_id }, isClosed }
}

const newSecret = (): string => `il_${randomBytes(SECRET_BYTES).toString('base64url')}`

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz123456789'

/** Fifty random bits: among a million of one name, two alike are expected once in two thousand such fleets. */
export const randomId = (): string => [...randomBytes(10)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
