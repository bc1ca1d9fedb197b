// Mutual TLS between gateways, the control plane and replicas. A replica gets a certificate that names it alone, in files that only its job's
// user reads; gateways check that name. The control plane checks the authority, and then the proof of the replica's token.

import { join } from 'node:path'
import type { Authority, LiveCertificate } from '@ironlaw/certificates'
import { replicaTlsName } from '@ironlaw/contracts'
import type { SharedStorage, StorageAway } from '../storage/shared-storage.ts'

export type ReplicaCertificates = {
  /** Why they cannot be put there now. */
  readonly provide: (directory: string, replica: string) => Promise<StorageAway | undefined>
  /** What the control plane shows to replicas. */
  readonly own: LiveCertificate
}

/** Longer than replicas live; one that lives longer is replaced. */
const REPLICA_DAYS = 398

export const tlsDirectory = (directory: string): string => join(directory, 'tls')

type Parts = { readonly authority: Authority; readonly own: LiveCertificate; readonly storage: Pick<SharedStorage, 'perform'> }

export const replicaCertificates = ({ authority, own, storage }: Parts): ReplicaCertificates => ({
  own,
  provide: async (directory, replica) => {
    const names = [replicaTlsName(replica)]
    const { cert, key, ca } = await authority.issue({
      holder: `replica ${replica}`,
      names,
      addresses: [],
      usage: 'server',
      days: REPLICA_DAYS,
    })
    const files = Object.entries({ 'cert.pem': cert, 'key.pem': key, 'ca.pem': ca }).map(([name, text]) => ({ name, text }))
    const written = await storage.perform('writeSecrets', { directory: tlsDirectory(directory), files })
    return 'away' in written ? written : undefined
  },
})
