// Whose jobs are whose. A run or a replica gets its user before its first submission, together with a directory that belongs to this user; both
// stay what they are when the teams document changes.

import type { JobUser, JobUsers, Refused } from '@ironlaw/executors'
import { type Database, type JobUserRow, jobUsersOf, keepJobUser, projectOfJob } from '@ironlaw/store'
import { replicaDirectory } from '../deploy/replica-job.ts'
import { runDirectory, type Site } from '../reconcile/site.ts'
import type { OwnedStorage } from '../storage/owned-storage.ts'
import type { StorageAway } from '../storage/shared-storage.ts'
import type { UserOfProject } from './user-of-project.ts'

export type JobOwnership = {
  /** Of the run or replica with that id. */
  readonly claim: (subject: string) => Promise<JobUser | Refused | StorageAway>
  /** Those that have one. */
  readonly usersOf: (subjects: readonly string[]) => Promise<ReadonlyMap<string, JobUser>>
}

type OwnershipPorts = {
  readonly database: Database
  readonly storage: Pick<OwnedStorage, 'own'>
  readonly site: Pick<Site, 'runs'>
  /** That jobs may run as at all. */
  readonly users: JobUsers
  readonly userOfProject: UserOfProject
  readonly now: () => number
}

/** Choices that are remembered: they never change. */
const KEPT = 10_000

export function jobOwnership(ports: OwnershipPorts): JobOwnership {
  const known = new Map<string, JobUser>()

  function remember(row: JobUserRow): JobUser {
    const { subject, name, account, qos } = row
    const user = { name, ...(account !== null && { account }), ...(qos !== null && { qos }) }
    known.set(subject, user)
    const [oldest] = known.keys()
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest)
    return user
  }

  async function usersOf(subjects: readonly string[]): Promise<ReadonlyMap<string, JobUser>> {
    const unknown = subjects.filter((subject) => !known.has(subject))
    const read = new Map((await jobUsersOf(ports.database, unknown)).map((row) => [row.subject, remember(row)]))
    return new Map(
      subjects.flatMap((subject) => {
        const user = known.get(subject) ?? read.get(subject)
        return user ? [[subject, user] as const] : []
      }),
    )
  }

  return {
    usersOf,
    claim: async (subject) => {
      const before = (await usersOf([subject])).get(subject)
      if (before) return before
      const chosen = await chooseUser(ports, subject)
      if ('answer' in chosen) return chosen
      const owned = await ports.storage.own(directoryOf(ports.site, chosen), chosen.unix)
      if (owned) return owned
      const { name, account = null, qos = null } = chosen.user
      return remember(await keepJobUser(ports.database, { subject, name, account, qos, created_at: ports.now() }))
    },
  }
}

type Choice = { readonly subject: string; readonly user: JobUser; readonly unix: { readonly uid: number; readonly gid: number } }

async function chooseUser(ports: OwnershipPorts, subject: string): Promise<Choice | Refused> {
  const project = await projectOfJob(ports.database, subject)
  const user = project === undefined ? { refused: `there is no run or replica ${subject}` } : await ports.userOfProject(project)
  if ('refused' in user) return { answer: 'refused', field: 'user', reason: user.refused }
  const unix = ports.users.get(user.name)
  if (unix) return { subject, user, unix }
  const reason = `jobs may not run as "${user.name}"; an administrator can add it to --job-users of "ironlaw up"`
  return { answer: 'refused', field: 'user', reason }
}

/** A replica is named `<deployment>.<number>`, and no run has a dot in its id. */
const directoryOf = (site: Pick<Site, 'runs'>, { subject }: Choice): string =>
  subject.includes('.') ? replicaDirectory(site, subject) : runDirectory(site, subject)
