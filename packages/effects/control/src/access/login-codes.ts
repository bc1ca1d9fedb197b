// Codes that a browser exchanges for the token of their creator: once, and within minutes. A code may appear in a URL, on a screen and in
// the browser's history, where a token may not.

import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { appendEvents, type Database, keepLoginCode, PRINCIPALS_STREAM, takeLoginCode } from '@ironlaw/store'
import { principalOf } from './tokens.ts'

/** Time to copy it into a browser, not to find it somewhere later. */
const CODE_VALID_S = 300

const CODE_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

type LoginCodeRequest = { readonly principal: string; readonly token: string; readonly at: number }

export async function issueLoginCode(
  database: Database,
  { principal, token, at }: LoginCodeRequest,
): Promise<{ readonly code: string; readonly expires_at: number }> {
  const code = randomBytes(CODE_BYTES).toString('base64url')
  const expires_at = at + CODE_VALID_S
  await keepLoginCode(
    database,
    { code_hash: hash('sha256', code), principal_id: principal, sealed: encryptToken(code, token), expires_at },
    at,
  )
  return { code, expires_at }
}

/** The token; undefined where the code is unknown, was used or has expired, or its token was revoked meanwhile. */
export async function redeemLoginCode(database: Database, code: string, at: number): Promise<string | undefined> {
  const taken = await takeLoginCode(database, hash('sha256', code), at)
  if (!taken) return undefined
  const token = decryptToken(code, taken.sealed)
  if (!(await principalOf(database, { authorization: `Bearer ${token}`, at }))) return undefined
  await appendEvents(database, PRINCIPALS_STREAM, [{ kind: 'console-opened', actor: taken.principal_id, at, body: {} }])
  return token
}

/** Another purpose of the code than its hash, by which it is found. */
const keyOf = (code: string): Buffer => Buffer.from(hkdfSync('sha256', code, '', 'ironlaw login code', 32))

function encryptToken(code: string, token: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(code), nonce)
  const text = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
}

function decryptToken(code: string, text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  const [nonce, tag, rest] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    bytes.subarray(NONCE_BYTES + TAG_BYTES),
  ]
  const cipher = createDecipheriv('aes-256-gcm', keyOf(code), nonce).setAuthTag(tag)
  return Buffer.concat([cipher.update(rest), cipher.final()]).toString('utf8')
}
