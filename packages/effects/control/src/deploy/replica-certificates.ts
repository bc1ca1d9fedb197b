// Mutual TLS between gateways, the control plane and replicas. A replica gets a certificate that names it alone, in files that only its job's
// user reads; gateways check that name. The control plane checks the authority, and then the proof of the replica's token.

import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { type Authority, type LiveCertificate, renewalTime } from '@ironlaw/certificates'
import { replicaTlsName } from '@ironlaw/contracts'
import type { SharedStorage, StorageAway } from '../storage/shared-storage.ts'

export type ReplicaCertificates = {
  /** Why they cannot be put there now. */
  readonly provide: (directory: string, replica: string) => Promise<StorageAway | undefined>
  /** Replaces what is there once two thirds of its life are over; engines read it again. Nothing is done where there is none. */
  readonly renew: (directory: string, replica: string) => Promise<StorageAway | undefined>
  /** What the control plane shows to replicas. */
  readonly own: LiveCertificate
}

/** Certificates are some 800 bytes. */
const FILE_BYTES = 8192
/** Forgotten together: each is read once more then. */
const MOST_KNOWN = 10_000

export const tlsDirectory = (directory: string): string => join(directory, 'tls')

type Parts = { readonly authority: Authority; readonly own: LiveCertificate; readonly storage: Pick<SharedStorage, 'perform'> }

export function replicaCertificates({ authority, own, storage }: Parts): ReplicaCertificates {
  /** When each is to be renewed, of those that were written or read by this process. */
  const due = new Map<string, number>()
  const remember = (replica: string, cert: string): number => {
    if (due.size >= MOST_KNOWN) due.clear()
    const at = renewalTime(cert)
    due.set(replica, at)
    return at
  }
  const provide = async (directory: string, replica: string): Promise<StorageAway | undefined> => {
    const names = [replicaTlsName(replica)]
    const { cert, key, ca } = await authority.issue({ holder: `replica ${replica}`, names, addresses: [], usage: 'server' })
    // The certificate last: it says when the next is due, so that files of which only some were written are written again.
    const files = Object.entries({ 'key.pem': key, 'ca.pem': ca, 'cert.pem': cert }).map(([name, text]) => ({ name, text }))
    const written = await storage.perform('writeSecrets', { directory: tlsDirectory(directory), files })
    if ('away' in written) return written
    remember(replica, cert)
    return undefined
  }
  const renew = async (directory: string, replica: string): Promise<StorageAway | undefined> => {
    const known = due.get(replica)
    if (known !== undefined) return Date.now() < known ? undefined : provide(directory, replica)
    const file = join(tlsDirectory(directory), 'cert.pem')
    const found = await storage.perform('read', { file, limit_bytes: FILE_BYTES })
    if ('away' in found) return found
    if (found.value === null) return undefined
    return isCertificate(found.value) && Date.now() < remember(replica, found.value) ? undefined : provide(directory, replica)
  }
  const underWay = new Set<string>()
  return {
    own,
    provide,
    renew: async (directory, replica) => {
      // Storage that hangs holds one look at each, not one more in every round.
      if (underWay.has(replica)) return undefined
      underWay.add(replica)
      return renew(directory, replica).finally(() => underWay.delete(replica))
    },
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).serialNumber !== ''
  } catch {
    // The job's user may have put anything there.
    return false
  }
}
