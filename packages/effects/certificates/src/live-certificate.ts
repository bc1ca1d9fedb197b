// A certificate in use, which is replaced while connections are open: those stay on the one that they began with, new ones get the new one.

import { readFile, stat } from 'node:fs/promises'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { IronlawError, systemReason } from '@ironlaw/contracts'
import { type Certificate, pairProblem, renewalTime } from './certificate.ts'

export type LiveCertificate = {
  readonly current: () => Certificate
  /** Called after every replacement. */
  readonly onChange: (listener: (certificate: Certificate) => void) => void
  /** Looks now, not at the next tick. */
  readonly look: () => Promise<void>
  readonly close: () => void
}

export type CertificateFiles = { readonly cert: string; readonly key: string; readonly ca?: string }

export type LiveOptions = {
  /** Takes a line for a person, once for each problem. */
  readonly tell: (line: string) => void
  readonly every_ms?: number
}

const LOOK_MS = 1000
const RENEWAL_LOOK_MS = 60_000

/** Reads the files again when they change. A pair that does not belong together, as one that is half replaced, leaves the old one in use. */
export async function watchCertificate(files: CertificateFiles, { tell, every_ms = LOOK_MS }: LiveOptions): Promise<LiveCertificate> {
  let seen = await stampOf(files)
  const first = await readCertificate(files)
  return keepLive(first, {
    every_ms,
    tell: (problem) => tell(`${files.cert}: ${problem}; the certificate of before stays in use`),
    next: async () => {
      const stamp = await stampOf(files)
      if (stamp === seen) return undefined
      const next = await readCertificate(files)
      seen = stamp
      return next
    },
  })
}

/** Renewed when two thirds of its life are over. */
export async function renewCertificate(
  issue: () => Promise<Certificate>,
  { first, tell, every_ms = RENEWAL_LOOK_MS }: LiveOptions & { readonly first?: Certificate },
): Promise<LiveCertificate> {
  let current = first ?? (await issue())
  return keepLive(current, {
    every_ms,
    tell: (problem) => tell(`the certificate was not renewed: ${problem}; the one of before stays in use`),
    next: async () => {
      if (Date.now() < renewalTime(current.cert)) return undefined
      current = await issue()
      return current
    },
  })
}

type Source = {
  readonly every_ms: number
  readonly tell: (problem: string) => void
  /** Undefined where nothing changed. */
  readonly next: () => Promise<Certificate | undefined>
}

function keepLive(first: Certificate, { every_ms, tell, next }: Source): LiveCertificate {
  const listeners: ((certificate: Certificate) => void)[] = []
  let current = first
  let problem = ''
  let looking: Promise<void> | undefined
  const lookOnce = async (): Promise<void> => {
    try {
      const found = await next()
      problem = ''
      if (!found) return
      createSecureContext(secureOptions(found))
      current = found
      for (const listener of listeners) listener(found)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      if (reason !== problem) tell(reason)
      problem = reason
    }
  }
  const look = (): Promise<void> => (looking ??= lookOnce().finally(() => (looking = undefined)))
  const timer = setInterval(() => void look(), every_ms).unref()
  return { current: () => current, onChange: (listener) => void listeners.push(listener), look, close: () => clearInterval(timer) }
}

/** The oldest protocol that is still considered safe. */
export const MIN_VERSION = 'TLSv1.2'

export const secureOptions = ({ cert, key, ca }: Certificate): SecureContextOptions => ({
  cert,
  key,
  ...(ca !== undefined && { ca }),
  minVersion: MIN_VERSION,
})

type SecureServer = { setSecureContext(options: SecureContextOptions): void }

/** Keeps a server on the newest certificate, without closing a connection. */
export function followCertificate(server: SecureServer, certificate: LiveCertificate): void {
  certificate.onChange((next) => server.setSecureContext(secureOptions(next)))
}

async function readCertificate({ cert, key, ca }: CertificateFiles): Promise<Certificate> {
  const read = { cert: await readText(cert), key: await readText(key), ...(ca !== undefined && { ca: await readText(ca) }) }
  const problem = pairProblem(read)
  if (problem !== undefined) throw new IronlawError('IL_DOCUMENT', { path: cert, reason: `with ${key}: ${problem}` })
  createSecureContext(secureOptions(read))
  return read
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new IronlawError('IL_FILE', { path, reason: systemReason(cause) ?? String(cause) }, { cause })
  }
}

async function stampOf({ cert, key, ca }: CertificateFiles): Promise<string> {
  const parts = [cert, key, ...(ca === undefined ? [] : [ca])].map(async (path) => {
    // Absent for a moment while it is replaced: reading says so.
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : 'absent'
  })
  return (await Promise.all(parts)).join('\n')
}
