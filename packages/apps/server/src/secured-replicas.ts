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

/** Renewals begin ten days before a certificate ends: time enough to learn why they fail. Each reason is reported once. */
function reportingRenewals(inner: ReplicaCertificates, logProblem: (problem: string) => void): ReplicaCertificates {
  const reported = new Map<string, string>()
  const report = (replica: string, reason: string): void => {
    if (reported.get(replica) !== reason) logProblem(`the certificate of replica ${replica} is not renewed: ${reason}`)
    reported.set(replica, reason)
  }
  return {
    ...inner,
    renew: async (directory, replica) => {
      try {
        const away = await inner.renew(directory, replica)
        if (away) report(replica, away.away)
        else reported.delete(replica)
        return away
      } catch (cause) {
        report(replica, cause instanceof Error ? cause.message : String(cause))
        throw cause
      }
    },
  }
}

export async function securedReplicas(
  { tls, authority }: { readonly tls?: ApiTls; readonly authority?: () => Promise<Authority> },
  { storage, ownership, logProblem }: Parts,
): Promise<ReplicaCertificates | undefined> {
  if (!tls || !authority) return undefined
  const site = await authority()
  const claims = { holder: 'control plane', names: [], addresses: [], usage: 'client' } as const
  const own = await renewCertificate(() => site.issue(claims), { tell: logProblem })
  const inner = reportingRenewals(replicaCertificates({ authority: site, own, storage }), logProblem)
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
