// The authority of one site: a key that signs the certificates of its control planes, gateways and engines. It is made once, in a directory
// that only its owner reads. Whoever reads the key can pose as any of them, so it never leaves the directory.

import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { dirname, join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { type Certificate, pairProblem } from './certificate.ts'
import { ALGORITHM, makeCertificateRequest, makeKeys, privateKeyPem } from './certificate-request.ts'
import { loadX509 } from './x509.ts'

/** `server`: others connect to it. `client`: it connects to engines, which serve only such. */
export type CertificateUsage = 'server' | 'client' | 'both'

export type CertificateClaims = {
  /** Who it is, such as "gateway gw-1": for people. The space keeps clients from taking it for a host name. */
  readonly holder: string
  readonly names: readonly string[]
  readonly addresses: readonly string[]
  readonly usage: CertificateUsage
  readonly days?: number
}

export type Authority = {
  /** The certificate that clients trust. */
  readonly ca: string
  /** A certificate for the key that signed the request. */
  readonly sign: (request: string, claims: CertificateClaims) => Promise<string>
  /** With a key made here, for a part that this process starts. */
  readonly issue: (claims: CertificateClaims) => Promise<Certificate & { readonly ca: string }>
}

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
export const LEAF_DAYS = 30
export const MOST_LEAF_DAYS = 398
/** Clocks of a site differ by seconds, of a machine that has just started by minutes. */
const CLOCK_SKEW_MS = 300_000

const DNS_NAME = /^(?=.{1,253}$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?)*$/i

export const isHostName = (name: string): boolean => DNS_NAME.test(name) && isIP(name) === 0

/** Makes the authority where the directory has none; of two that do so at once, both get the same. */
export async function openAuthority(directory: string, now: () => number = Date.now): Promise<Authority> {
  if (!existsSync(join(directory, 'ca.pem'))) await makeAuthority(directory, now())
  const [ca, key] = await Promise.all([readFile(join(directory, 'ca.pem'), 'utf8'), readFile(join(directory, 'ca.key'), 'utf8')])
  const problem = pairProblem({ cert: ca, key })
  if (problem !== undefined) throw new IronlawError('IL_DOCUMENT', { path: join(directory, 'ca.pem'), reason: problem })
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(ca)
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })
  const signingKey = await crypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign'])

  async function sign(request: string, claims: CertificateClaims): Promise<string> {
    const { publicKey } = await checkedRequest(request)
    const { from, until } = validity(now(), { days: claims.days ?? LEAF_DAYS, last: issuer.notAfter })
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: new x509.Name([{ O: ['Ironlaw'] }, { CN: [holderName(claims.holder)] }]).toString(),
      issuer: issuer.subject,
      notBefore: from,
      notAfter: until,
      signingAlgorithm: ALGORITHM,
      publicKey,
      signingKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension(purposes(claims.usage)),
        ...alternativeNames(claims).map((names) => new x509.SubjectAlternativeNameExtension(names)),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
        await x509.SubjectKeyIdentifierExtension.create(publicKey),
      ],
    })
    return `${certificate.toString('pem')}\n`
  }

  return {
    ca,
    sign,
    issue: async (claims) => {
      const { key: leafKey, request } = await makeCertificateRequest()
      return { cert: await sign(request, claims), key: leafKey, ca }
    },
  }
}

/** A directory of its own is renamed when it is complete: nobody ever reads half an authority. */
async function makeAuthority(directory: string, now: number): Promise<void> {
  const x509 = await loadX509()
  const keys = await makeKeys()
  const { from, until } = validity(now, { days: AUTHORITY_DAYS })
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // The number tells the authorities of two sites apart where both are trusted.
    name: `O=Ironlaw, CN=Ironlaw authority ${randomBytes(4).toString('hex')}`,
    notBefore: from,
    notAfter: until,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const draft = `${directory}.${randomUUID()}.new`
  await mkdir(dirname(directory), { recursive: true })
  await mkdir(draft, { mode: 0o700 })
  await writeFile(join(draft, 'ca.key'), privateKeyPem(keys.privateKey), { mode: 0o600, flush: true })
  await writeFile(join(draft, 'ca.pem'), `${certificate.toString('pem')}\n`, { mode: 0o644, flush: true })
  try {
    await rename(draft, directory)
  } catch (cause) {
    await rm(draft, { recursive: true, force: true })
    if (!existsSync(join(directory, 'ca.pem'))) throw cause
  }
}

async function checkedRequest(text: string) {
  const x509 = await loadX509()
  const refuse = (reason: string, cause?: unknown): IronlawError =>
    new IronlawError('IL_INVALID', { path: 'request', problem: reason }, { cause })
  let request: InstanceType<typeof x509.Pkcs10CertificateRequest>
  try {
    request = new x509.Pkcs10CertificateRequest(text)
  } catch (cause) {
    throw refuse('expected a certificate request in PEM', cause)
  }
  const { namedCurve } = Object(request.publicKey.algorithm)
  if (namedCurve !== ALGORITHM.namedCurve) throw refuse('the key is not one of the curve P-256')
  if (!(await request.verify())) throw refuse('the request is not signed with its own key')
  return request
}

function validity(
  now: number,
  { days, last }: { readonly days: number; readonly last?: Date },
): { readonly from: Date; readonly until: Date } {
  if (!(days > 0)) throw new IronlawError('IL_INVALID', { path: 'days', problem: 'expected a number above 0' })
  const until = now + days * DAY_MS
  return { from: new Date(now - CLOCK_SKEW_MS), until: new Date(Math.min(until, last?.getTime() ?? until)) }
}

/** Positive, and never the same twice. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

function holderName(holder: string): string {
  if (/^[\w.-]+ [\w. :-]{1,100}$/.test(holder)) return holder
  throw new IronlawError('IL_INVALID', { path: 'holder', problem: `expected a kind and a name such as "gateway gw-1", not "${holder}"` })
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
const purposes = (usage: CertificateUsage): string[] => [
  ...(usage === 'client' ? [] : [SERVER_AUTH]),
  ...(usage === 'server' ? [] : [CLIENT_AUTH]),
]

type AlternativeName = { readonly type: 'dns' | 'ip'; readonly value: string }

/** Nothing where there is no name: an empty list is not allowed. */
function alternativeNames({ names, addresses }: CertificateClaims): AlternativeName[][] {
  for (const name of names)
    if (!isHostName(name)) throw new IronlawError('IL_INVALID', { path: 'names', problem: `"${name}" is not a host name` })
  for (const address of addresses)
    if (isIP(address) === 0) throw new IronlawError('IL_INVALID', { path: 'addresses', problem: `"${address}" is not an IP address` })
  const all = [
    ...names.map((value) => ({ type: 'dns' as const, value: value.toLowerCase() })),
    ...addresses.map((value) => ({ type: 'ip' as const, value })),
  ]
  return all.length === 0 ? [] : [all]
}
