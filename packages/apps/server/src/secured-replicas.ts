// Whether replicas get certificates: wherever the API has one, for then they are reached over a network.

import { type Authority, renewCertificate } from '@ironlaw/certificates'
import type { JobOwnership } from '@ironlaw/control/job-ownership'
import { type ReplicaCertificates, replicaCertificates } from '@ironlaw/control/replica-certificates'
import type { SharedStorage } from '@ironlaw/control/shared-storage'
import type { ApiTls } from './api-certificate.ts'

type Parts = {
  readonly storage: SharedStorage
  readonly ownership: JobOwnership | undefined
  readonly logProblem: (problem: string) => void
}

export async function securedReplicas(
  { tls, authority }: { readonly tls?: ApiTls; readonly authority?: () => Promise<Authority> },
  { storage, ownership, logProblem }: Parts,
): Promise<ReplicaCertificates | undefined> {
  if (!tls || !authority) return undefined
  const site = await authority()
  const claims = { holder: 'control plane', names: [], addresses: [], usage: 'client' } as const
  const own = await renewCertificate(() => site.issue(claims), { tell: logProblem })
  const inner = replicaCertificates({ authority: site, own, storage })
  if (!ownership) return inner
  return {
    ...inner,
    provide: async (directory, replica) => {
      const user = await ownership.claim(replica)
      if ('away' in user) return user
      // What is refused here is refused again when the job is submitted.
      return 'answer' in user ? undefined : inner.provide(directory, replica)
    },
  }
}
