// A certificate with its private key, as text of PEM files, and what can be read from it.

import { createPrivateKey, X509Certificate } from 'node:crypto'

export type Certificate = {
  /** The certificate itself first, then those between it and the authority. */
  readonly cert: string
  readonly key: string
  /** Who the other side's certificate must come from. */
  readonly ca?: string
}

export type CertificateFacts = {
  readonly subject: string
  readonly issuer: string
  /** DNS names and addresses that it is for. */
  readonly names: readonly string[]
  readonly from_at: number
  readonly until_at: number
  /** SHA-256, as other tools print it. */
  readonly fingerprint: string
  readonly serial: string
}

export function certificateFacts(pem: string): CertificateFacts {
  const read = new X509Certificate(pem)
  const names = (read.subjectAltName ?? '').split(', ').filter((name) => name !== '')
  return {
    subject: read.subject.replaceAll('\n', ', '),
    issuer: read.issuer.replaceAll('\n', ', '),
    names: names.map((name) => name.replace(/^(?:DNS|IP Address):/, '')),
    from_at: read.validFromDate.getTime(),
    until_at: read.validToDate.getTime(),
    fingerprint: read.fingerprint256,
    serial: read.serialNumber,
  }
}

/** Leaves the last third of its life to find out why it was not renewed. */
const RENEWED_AT = 2 / 3

export function renewalTime(pem: string): number {
  const { from_at, until_at } = certificateFacts(pem)
  return from_at + RENEWED_AT * (until_at - from_at)
}

/** Why the two do not belong together, or undefined. A pair that is being replaced is for a moment such a one. */
export function pairProblem({ cert, key }: Pick<Certificate, 'cert' | 'key'>): string | undefined {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? undefined : 'the private key is not that of the certificate'
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}
