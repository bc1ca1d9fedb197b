// The gateway's certificate of the site's authority: requested with the token that it has anyway, kept in the state directory, renewed in time.
// It serves clients with it, and shows it to engines that want to know who calls.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { isIP } from 'node:net'
import {
  type Certificate,
  type LiveCertificate,
  makeCertificateRequest,
  pairProblem,
  renewalTime,
  renewCertificate,
} from '@ironlaw/certificates'
import { ISSUED_CERTIFICATE, KEPT_CERTIFICATE } from '@ironlaw/contracts/certificate-api'
import { IronlawError } from '@ironlaw/contracts'
import { parseJson } from '../front/json.ts'
import type { OwnToken } from './own-token.ts'

export type EnrolmentOptions = {
  /** Of the control plane's operation for this gateway. */
  readonly url: string
  readonly token: OwnToken
  readonly keepAt: string
  /** What clients call it by. */
  readonly names: readonly string[]
  readonly addresses: readonly string[]
  readonly tell: (line: string) => void
}

const TIMEOUT_MS = 10_000

/** Undefined where the control plane is of before it gave certificates. One that is away is no hindrance while the kept one is valid. */
export async function enrol(options: EnrolmentOptions): Promise<LiveCertificate | undefined> {
  const kept = await keptCertificate(options.keepAt)
  const isFresh = kept !== undefined && Date.now() < renewalTime(kept.cert)
  const issue = async (): Promise<Certificate> => {
    const certificate = await requestCertificate(options)
    await writeFile(`${options.keepAt}.new`, JSON.stringify(certificate), { mode: 0o600, flush: true })
    await rename(`${options.keepAt}.new`, options.keepAt)
    return certificate
  }
  try {
    return await renewCertificate(issue, { ...(isFresh && { first: kept }), tell: options.tell })
  } catch (cause) {
    if (cause instanceof NoCertificates) return undefined
    if (!kept) throw cause
    options.tell(`the certificate was not renewed: ${String(cause)}; the one of before stays in use`)
    return renewCertificate(issue, { first: kept, tell: options.tell })
  }
}

class NoCertificates extends Error {}

async function requestCertificate({ url, token: ownToken, names, addresses }: EnrolmentOptions): Promise<Certificate> {
  const token = ownToken()
  const { key, request } = await makeCertificateRequest()
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ request, names, addresses }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (answer.status === 404) throw new NoCertificates('the control plane gives no certificates')
  if (!answer.ok)
    throw new IronlawError('IL_UNAVAILABLE', { what: 'the control plane', reason: `status ${answer.status} for a certificate` })
  const { certificate, ca } = ISSUED_CERTIFICATE.parse(await answer.json())
  return { cert: certificate, key, ca }
}

async function keptCertificate(path: string): Promise<Certificate | undefined> {
  // None yet, or none that can be read: another is requested.
  const text = await readFile(path, 'utf8').catch(() => '')
  const kept = KEPT_CERTIFICATE.safeParse(parseJson(text))
  return kept.success && pairProblem(kept.data) === undefined ? kept.data : undefined
}

/** By what clients may call a listener. */
export function listenNames(host: string, hostName: string): Pick<EnrolmentOptions, 'names' | 'addresses'> {
  const isAnyAddress = host === '0.0.0.0' || host === '::'
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
  const all = [...new Set(['localhost', '127.0.0.1', '::1', ...(isAnyAddress ? [hostName, ...interfaces] : [host])])]
  return { names: all.filter((each) => isIP(each) === 0), addresses: all.filter((each) => isIP(each) !== 0) }
}
