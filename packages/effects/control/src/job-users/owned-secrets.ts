// Secrets of jobs that run as the users of their teams: there is a directory of that user before anything is put there.

import { basename } from 'node:path'
import type { JobSecrets } from '../secrets/deliver.ts'
import type { JobOwnership } from './job-ownership.ts'

/** Without an owner of jobs they are our own, and so are the directories. */
export function ownedSecrets(inner: JobSecrets, ownership: JobOwnership | undefined): JobSecrets {
  if (ownership === undefined) return inner
  return {
    ...inner,
    provide: async (delivery) => {
      const user = await ownership.claim(basename(delivery.directory))
      if ('away' in user) return user
      // What is refused here is refused again when the job is submitted; a secret has no place to go.
      return 'answer' in user ? undefined : inner.provide(delivery)
    },
  }
}
