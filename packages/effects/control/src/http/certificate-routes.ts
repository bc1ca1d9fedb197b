// Certificates for gateways, which enrol with their token, and for whatever else an administrator has one made for.

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { certificateFacts } from '@ironlaw/certificates'
import { isLoopbackHost } from '@ironlaw/contracts'
import type { IssuedCertificate } from '@ironlaw/contracts/certificate-api'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { requireGatewayToken } from '../deploy/gateway-identity.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'
import { OverLimit, RateLimit } from './rate-limit.ts'

/** One is needed every 20 days; restarts and mistakes need some more. */
const CERTIFICATE_RATE = { perSecond: 1 / 60, burst: 10 }

export function addCertificateRoutes(app: Api, { database, now, authority, ownNames }: ApiPorts): void {
  const limit = new RateLimit(CERTIFICATE_RATE, () => performance.now() / 1000)
  app.route({
    ...route(OPERATIONS.certifyGateway),
    handler: async ({ params: { name }, principal, body, ip }) => {
      await requireGatewayToken(database, principal, { gateway: name, at: now() })
      const wait_s = limit.wait_s(name)
      if (wait_s > 0) throw new OverLimit(`certificates for gateway ${name}`, CERTIFICATE_RATE, wait_s)
      limit.take(name)
      const { request, ...claimed } = body
      const claims = await allowedClaims(claimed, { peer: ip, ownNames: ownNames() })
      const { ca, sign } = await authority()
      return issued(await sign(request, { holder: `gateway ${name}`, ...claims, usage: 'both' }), ca)
    },
  })
  app.route({
    ...route(OPERATIONS.issueCertificate),
    handler: async ({ body: { name, request, ...claims } }) => {
      const { ca, sign } = await authority()
      return issued(await sign(request, { holder: `machine ${name}`, ...claims }), ca)
    },
  })
  app.route({
    ...route(OPERATIONS.getAuthority),
    handler: async () => {
      const { ca } = await authority()
      const { subject, until_at, fingerprint } = certificateFacts(ca)
      return { ca, subject, until_at: until_at / 1000, fingerprint }
    },
  })
}

function issued(certificate: string, ca: string): IssuedCertificate {
  const { names, until_at, serial } = certificateFacts(certificate)
  return { certificate, ca, names: [...names], serial, until_at: until_at / 1000 }
}

type Claims = { readonly names: readonly string[]; readonly addresses: readonly string[] }

type Requester = {
  /** The address that the request came from. */
  readonly peer: string
  /** Of the control plane. */
  readonly ownNames: readonly string[]
}

/** What of a gateway's claims is its own: the address that it calls from, and names that lead there. The rest is left out. */
async function allowedClaims({ names, addresses }: Claims, { peer, ownNames }: Requester): Promise<Claims> {
  const from = peer.replace(/^::ffff:(?=\d+\.)/, '')
  const here = isLoopbackHost(from) ? Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)) : []
  const isOwn = (address: string): boolean => address === from || isLoopbackHost(address) || here.includes(address)
  const own = names.map(async (name) => {
    if (name === 'localhost') return [name]
    if (isIP(name) !== 0 || ownNames.includes(name.toLowerCase())) return []
    // A name that does not resolve leads nowhere.
    const found = await lookup(name, { all: true }).catch(() => [])
    return found.length > 0 && found.every(({ address }) => isOwn(address)) ? [name] : []
  })
  return { names: (await Promise.all(own)).flat(), addresses: addresses.filter((address) => isIP(address) !== 0 && isOwn(address)) }
}
