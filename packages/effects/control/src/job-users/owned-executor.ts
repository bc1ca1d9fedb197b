// An executor whose jobs belong to the users of their teams: adds the user to what is submitted, and to every question the owner of the job.

import type { Executor, JobOwners } from '@ironlaw/executors'
import type { JobOwnership } from './job-ownership.ts'

/** The run of an allocation; a replica's job has the name of the replica. */
export const subjectOf = (key: string): string => key.replace(/\.alloc-\d+$/, '')

export function ownedExecutor(inner: Executor, ownership: JobOwnership): Executor {
  const ownersOf = async (keys: readonly string[]): Promise<JobOwners> => {
    const users = await ownership.usersOf([...new Set(keys.map(subjectOf))])
    return new Map(
      keys.flatMap((key) => {
        const user = users.get(subjectOf(key))
        return user ? [[key, user.name] as const] : []
      }),
    )
  }
  const ownerOf = async (key: string): Promise<string | undefined> => (await ownersOf([key])).get(key)
  return {
    ...inner,
    submit: async (job) => {
      const user = await ownership.claim(subjectOf(job.key))
      if ('away' in user) return { answer: 'unreachable', reason: `storage: ${user.away}` }
      return 'answer' in user ? user : inner.submit({ ...job, user })
    },
    sightings: async (keys) => inner.sightings(keys, await ownersOf(keys)),
    cancel: async (key) => inner.cancel(key, await ownerOf(key)),
    release: async (key, nodes) => inner.release(key, nodes, await ownerOf(key)),
  }
}

/** While `reason` returns one, no job is submitted; those that run are seen to as before. */
export const withheldExecutor = (inner: Executor, reason: () => Promise<string | undefined>): Executor => ({
  ...inner,
  submit: async (job) => {
    const why = await reason()
    return why === undefined ? inner.submit(job) : { answer: 'refused', field: 'user', reason: why }
  },
})
