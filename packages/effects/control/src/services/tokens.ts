// Bearer tokens. A secret is 32 random bytes and leaves this process once; only its SHA-256 is kept. No salt and no slow hash: there
// is nothing to guess in 256 random bits, and a plain hash can be looked up by an index.

import { hash, randomBytes } from 'node:crypto'
import type { Principal, Role } from '@ironlaw/contracts'
import { createPrincipal, type Database, principalOfToken } from '@ironlaw/store'

const SECRET_BYTES = 32

export const TOKEN_TEXT = /il_[\w-]{43}/g

export type Issued = { readonly id: string; readonly secret: string }

type Wanted = { readonly name: string; readonly role: Role; readonly actor: string; readonly at: number }

export async function issueToken(database: Database, { name, role, actor, at }: Wanted): Promise<Issued> {
  const id = `${name}-${randomId()}`
  const secret = newSecret()
  const event = { kind: 'token-created', actor, at, body: { id, role } }
  await createPrincipal(database, { id, name, role, token_hash: hash('sha256', secret) }, event)
  return { id, secret }
}

/** The token that the agents of a run report with: good for that run and nothing else. */
export async function issueRunToken(database: Database, { run, at }: { readonly run: string; readonly at: number }): Promise<string> {
  const id = `run-${run}-${randomId()}`
  const secret = newSecret()
  const event = { kind: 'token-created', actor: 'reconciler', at, body: { id, role: 'run', run } }
  await createPrincipal(database, { id, name: run, role: 'run', run_id: run, token_hash: hash('sha256', secret) }, event)
  return secret
}

export async function principalOf(database: Database, authorization: string | undefined): Promise<Principal | undefined> {
  const [, secret] = /^Bearer (il_[\w-]{43})$/i.exec(authorization ?? '') ?? []
  if (secret === undefined) return undefined
  const found = await principalOfToken(database, hash('sha256', secret))
  if (!found) return undefined
  const { id, name, role, run_id } = found
  if (role === 'run') return run_id === null ? undefined : { kind: 'run', run: run_id }
  return { kind: 'person', id, name, role }
}

const newSecret = (): string => `il_${randomBytes(SECRET_BYTES).toString('base64url')}`

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz123456789'

/** Fifty random bits: among a million of one name, two alike are expected once in two thousand such fleets. */
export const randomId = (): string => [...randomBytes(10)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
