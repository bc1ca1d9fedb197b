// The seam for keys that wrap data keys. Here they are in a file; a key management service takes their place with the same two calls.

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

export type KeyWrapper = {
  /** Says which key it is, and nothing about the key. */
  readonly id: string
  /** `context` is authenticated with the key: what was wrapped for one secret unwraps for no other. */
  readonly wrap: (key: Buffer, context: string) => Promise<string>
  /** Throws when it was not wrapped by this key for this context. */
  readonly unwrap: (wrapped: string, context: string) => Promise<Buffer>
}

export type Keyring = {
  /** Wraps what is sealed from now on. */
  readonly sealing: KeyWrapper
  readonly byId: ReadonlyMap<string, KeyWrapper>
}

export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM with a random nonce: nonce, tag and text, in base64url. */
export function encrypt(key: Buffer, text: Buffer, context: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

export function decrypt(key: Buffer, sealed: string, context: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context)).setAuthTag(tag)
  return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()])
}

const ID_DIGITS = 12

export function fileKey(key: Buffer): KeyWrapper {
  return {
    id: hash('sha256', Buffer.concat([Buffer.from('ironlaw key id '), key])).slice(0, ID_DIGITS),
    wrap: async (dataKey, context) => encrypt(key, dataKey, context),
    unwrap: async (wrapped, context) => decrypt(key, wrapped, context),
  }
}
