// A statement in its envelope: signed, and opened with a key.

import { sign, verify } from 'node:crypto'
import {
  BUNDLE_TYPE,
  IN_TOTO_PAYLOAD,
  SIGNATURE_BUNDLE,
  type SignatureBundle,
  type SignedStatement,
} from '@ironlaw/contracts/model-signature'
import { readValue } from '@ironlaw/contracts/read-value'
import type { SigningKey } from './signing-keys.ts'
import { parseJson } from './statement.ts'

export function signStatement(statement: SignedStatement, { key, digest, fingerprint }: SigningKey): SignatureBundle {
  const payload = Buffer.from(JSON.stringify(statement, undefined, 2))
  const sig = sign(digest, preAuthenticationEncoding(payload), key)
  return {
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { publicKey: { hint: fingerprint }, tlogEntries: [] },
    dsseEnvelope: {
      payload: payload.toString('base64'),
      payloadType: IN_TOTO_PAYLOAD,
      signatures: [{ sig: sig.toString('base64'), keyid: '' }],
    },
  }
}

/** What DSSE signs instead of the bare payload, so that a signature of one type cannot pass for one of another. */
function preAuthenticationEncoding(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${IN_TOTO_PAYLOAD.length} ${IN_TOTO_PAYLOAD} ${payload.length} `), payload])
}

type OpenedBundle = { readonly state: 'opened'; readonly payload: Buffer } | { readonly state: 'refused'; readonly problem: string }

export function openBundle(text: Buffer, { key, digest, fingerprint }: SigningKey): OpenedBundle {
  const json = parseJson(text)
  if (json === undefined) return refused('is no JSON: it is cut off, or something else')
  const { data, error } = readValue(SIGNATURE_BUNDLE, json)
  if (error) {
    const [issue] = error.issues
    return refused(`is no signature that is understood: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const { hint } = data.verificationMaterial.publicKey
  if (hint && hint !== fingerprint)
    return refused(`was made with another key: ${shortFingerprint(hint)}, not ${shortFingerprint(fingerprint)}`)
  const payload = decode(data.dsseEnvelope.payload)
  const signature = decode(data.dsseEnvelope.signatures[0]?.sig ?? '')
  if (!payload || !signature) return refused('is no signature that is understood: it is not base64')
  if (!verify(digest, preAuthenticationEncoding(payload), key, signature))
    return refused(`was not made with the key ${shortFingerprint(fingerprint)}, or was altered since`)
  return { state: 'opened', payload }
}

const refused = (problem: string): OpenedBundle => ({ state: 'refused', problem })

const SHOWN_DIGITS = 16
const shortFingerprint = (fingerprint: string): string => fingerprint.slice(0, SHOWN_DIGITS)

/** Undefined where it is not base64, which `Buffer` would read as far as it understands it. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
