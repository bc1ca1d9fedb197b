// Keys of signatures: elliptic curves in PEM, as OpenSSL writes them.

import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { IronlawError, systemError } from '@ironlaw/contracts'

/** The digest goes with the curve, as in sigstore's specification of algorithms. */
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['prime256v1', 'sha256'],
  ['secp384r1', 'sha384'],
  ['secp521r1', 'sha512'],
])

export type SigningKey = { readonly key: KeyObject; readonly digest: string; readonly fingerprint: string }

export const readPrivateKey = (path: string): Promise<SigningKey> => readKey(path, 'private')

export const readPublicKey = (path: string): Promise<SigningKey> => readKey(path, 'public')

async function readKey(path: string, kind: 'private' | 'public'): Promise<SigningKey> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw systemError(cause) ?? cause
  })
  // Node takes a private key for its public half; whoever verifies should not have it at all.
  if (kind === 'public' && text.includes('PRIVATE KEY'))
    throw refusal(path, 'it is a private key', `name the public one, which "openssl ec -in ${path} -pubout" prints`)
  return signingKey(parseKey(path, text, kind), path)
}

function parseKey(path: string, text: string, kind: 'private' | 'public'): KeyObject {
  if (kind === 'private' && text.includes('ENCRYPTED'))
    throw refusal(path, 'it is encrypted', `decrypt it with "openssl ec -in ${path}" into a file that only you can read`)
  try {
    return kind === 'private' ? createPrivateKey(text) : createPublicKey(text)
  } catch (cause) {
    const make = kind === 'private' ? 'openssl ecparam -name prime256v1 -genkey -noout -out key.pem' : 'openssl ec -in key.pem -pubout'
    throw new IronlawError('IL_FILE', { path, reason: `it holds no ${kind} key in PEM` }, { cause, next: `make one with "${make}"` })
  }
}

export function signingKey(key: KeyObject, path: string): SigningKey {
  const curve = key.asymmetricKeyDetails?.namedCurve
  const digest = curve === undefined ? undefined : DIGESTS.get(curve)
  if (digest === undefined)
    throw refusal(
      path,
      `it is a key of ${curve ?? key.asymmetricKeyType}`,
      `use a key of ${[...DIGESTS.keys()].join(', ')} (P-256, P-384, P-521)`,
    )
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return { key, digest, fingerprint: hash('sha256', publicKey.export({ type: 'spki', format: 'pem' }).toString()) }
}

const refusal = (path: string, reason: string, next: string): IronlawError => new IronlawError('IL_FILE', { path, reason }, { next })
