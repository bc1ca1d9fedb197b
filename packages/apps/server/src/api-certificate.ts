// What the API serves with: files that someone else keeps, or a certificate of the site's authority; nothing on loopback, where nobody listens in.

import { hostname, networkInterfaces } from 'node:os'
import { isIP } from 'node:net'
import { type Authority, isHostName, type LiveCertificate, renewCertificate, watchCertificate } from '@ironlaw/certificates'
import { IronlawError, isLoopbackHost } from '@ironlaw/contracts'

export type TlsFlags = {
  readonly 'tls-cert': string | undefined
  readonly 'tls-key': string | undefined
  readonly 'tls-ca': string | undefined
  readonly 'insecure-http': boolean
}

export type ApiTls = {
  readonly certificate: LiveCertificate
  /** Clients must trust it; undefined where they do anyway. */
  readonly ca: string | undefined
}

type ListenPlace = {
  readonly host: string
  /** Under which others reach it. */
  readonly api: string | undefined
  readonly authority: () => Promise<Authority>
  readonly tell: (line: string) => void
}

export async function apiCertificate(flags: TlsFlags, { host, api, authority, tell }: ListenPlace): Promise<ApiTls | undefined> {
  const { 'tls-cert': cert, 'tls-key': key, 'tls-ca': ca } = flags
  if ((cert === undefined) !== (key === undefined)) throw usage('--tls-cert and --tls-key belong together')
  if (cert !== undefined && key !== undefined) {
    const certificate = await watchCertificate({ cert, key, ...(ca !== undefined && { ca }) }, { tell })
    return { certificate, ca: certificate.current().ca }
  }
  if (ca !== undefined) throw usage('--tls-ca needs --tls-cert and --tls-key')
  if (isLoopbackHost(host)) return undefined
  if (flags['insecure-http']) {
    tell(`warning: the API on ${host} is plain HTTP: anyone on the way reads tokens, and can change what passes`)
    return undefined
  }
  const site = await authority()
  const claims = { holder: 'control plane', ...ownNames(host, api), usage: 'server' } as const
  return { certificate: await renewCertificate(() => site.issue(claims), { tell }), ca: site.ca }
}

/** Every name and address under which this machine's API may be called. */
function ownNames(host: string, api: string | undefined): { readonly names: readonly string[]; readonly addresses: readonly string[] } {
  const isAnyAddress = host === '0.0.0.0' || host === '::'
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
  const called = api === undefined ? [] : [new URL(api).hostname.replace(/^\[|\]$/g, '')]
  const all = new Set(['localhost', '127.0.0.1', '::1', hostname(), ...called, ...(isAnyAddress ? interfaces : [host])])
  return {
    names: [...all].filter((each) => isHostName(each)),
    // Of a link-local address the zone is this machine's own name for the interface.
    addresses: [...all].map((each) => each.replace(/%.*$/, '')).filter((each) => isIP(each) !== 0),
  }
}

const usage = (problem: string): IronlawError => new IronlawError('IL_USAGE', { problem, command: 'up' })
