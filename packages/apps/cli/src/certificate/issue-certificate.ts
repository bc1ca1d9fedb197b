// `ironlaw certificate issue`: the private key is made here and stays here; the control plane gets a request that the key signed.

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { isHostName, makeCertificateRequest } from '@ironlaw/certificates'
import { IronlawError, systemReason } from '@ironlaw/contracts'
import { NEW_CERTIFICATE } from '@ironlaw/contracts/certificate-api'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'

export type IssueFlags = {
  readonly name: readonly string[]
  readonly out: string
  readonly usage: string
  readonly days: string
  readonly replace?: true
}

/** As `ironlaw engine` looks for them. */
const FILES = { certificate: 'cert.pem', key: 'key.pem', ca: 'ca.pem' }

export async function issueCertificate(flags: IssueFlags): Promise<CommandAnswer> {
  const { out, replace } = flags
  const claims = readClaims(flags)
  const there = Object.values(FILES).find((file) => existsSync(join(out, file)))
  if (there !== undefined && replace !== true)
    throw usage(`${join(out, there)} is there already`, 'choose another directory, or pass --replace')
  const { key, request } = await makeCertificateRequest()
  const { certificate, ca, names, until_at } = await api(context()).issueCertificate({ body: { ...claims, request } })
  const paths = writeFiles(out, { key, certificate, ca })
  const until = new Date(1000 * until_at).toISOString()
  return {
    json: { ...paths, names, until_at },
    text: () => `${paths.certificate} is for ${names.join(', ')} until ${until}; its key is ${paths.key}, the authority ${paths.ca}`,
  }
}

function readClaims({ name: hosts, usage: kind, days: given }: IssueFlags) {
  const wrong = hosts.find((host) => isIP(host) === 0 && !isHostName(host))
  if (wrong !== undefined) throw usage(`--name ${wrong}: expected a host name or an address`)
  const use = NEW_CERTIFICATE.shape.usage.safeParse(kind)
  if (!use.success) throw usage(`--usage ${kind}: expected server, client or both`)
  const days = NEW_CERTIFICATE.shape.days.safeParse(Number(given))
  if (!days.success) throw usage(`--days ${given}: expected a whole number from 1 to 398`)
  return {
    // For people, in the subject: an address of IPv6 has characters that no name may have.
    name: (hosts[0] ?? '')
      .replaceAll(/[^\w.-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, 'host-')
      .slice(0, 63),
    names: hosts.filter((host) => isIP(host) === 0),
    addresses: hosts.filter((host) => isIP(host) !== 0),
    usage: use.data,
    days: days.data,
  }
}

type Texts = Readonly<Record<keyof typeof FILES, string>>

/** Each is renamed when it is whole. Whoever reads them between two renames finds a pair that does not belong together and waits. */
function writeFiles(directory: string, texts: Texts): Texts {
  const write = (kind: keyof typeof FILES, mode: number): string => {
    const path = join(directory, FILES[kind])
    const draft = `${path}.${process.pid}.new`
    writeFileSync(draft, texts[kind], { mode, flag: 'wx', flush: true })
    renameSync(draft, path)
    return path
  }
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return { key: write('key', 0o600), certificate: write('certificate', 0o644), ca: write('ca', 0o644) }
  } catch (cause) {
    throw new IronlawError('IL_WRITE', { path: directory, reason: systemReason(cause) ?? String(cause) }, { cause })
  }
}

const usage = (problem: string, next?: string): IronlawError =>
  new IronlawError('IL_USAGE', { problem, command: 'certificate issue' }, next === undefined ? {} : { next })
