// A private key is made where it is used. What leaves the machine is a request: the public key, signed with the private one as a proof.

import { KeyObject, type webcrypto } from 'node:crypto'
import { loadX509 } from './x509.ts'

export const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export type CertificateRequest = {
  /** Stays here. */
  readonly key: string
  readonly request: string
}

/** Names are not in it: the authority decides which ones the certificate gets. */
export async function makeCertificateRequest(): Promise<CertificateRequest> {
  const x509 = await loadX509()
  const keys = await makeKeys()
  const request = await x509.Pkcs10CertificateRequestGenerator.create({ name: 'O=Ironlaw', keys, signingAlgorithm: ALGORITHM })
  return { key: privateKeyPem(keys.privateKey), request: `${request.toString('pem')}\n` }
}

export const makeKeys = (): Promise<webcrypto.CryptoKeyPair> => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

export const privateKeyPem = (key: webcrypto.CryptoKey): string => String(KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }))
