// Which users jobs run as, from the flags of "ironlaw up": those of a list, or the control plane's own, where it is alone or was told so.

import { execFileSync } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { jobOwnership, type JobOwnership } from '@ironlaw/control/job-ownership'
import { ownedExecutor, withheldExecutor } from '@ironlaw/control/owned-executor'
import { type OwnedStorage, ownedStorage } from '@ironlaw/control/owned-storage'
import { type SharedStorage, sharedStorage } from '@ironlaw/control/shared-storage'
import { hasTeams, userOfProject } from '@ironlaw/control/user-of-project'
import { IronlawError, isLoopbackHost } from '@ironlaw/contracts'
import type { Executor, JobUsers } from '@ironlaw/executors'
import { commandAs, findUnixUser, isPrivileged, type UnixUser, userProblem } from '@ironlaw/executors/users'
import type { Database } from '@ironlaw/store'

export type JobUserOptions = {
  /** Others than our own, which jobs run as. */
  readonly jobUsers?: JobUsers
  /** Whoever started us knows that all jobs run as our own user. */
  readonly singleUser?: boolean
}

type Flags = { readonly 'job-users'?: string | undefined; readonly 'single-user'?: boolean | undefined }

export function readJobUsers({ 'job-users': list, 'single-user': singleUser }: Flags): JobUserOptions {
  if (list === undefined) return singleUser ? { singleUser } : {}
  if (singleUser) throw usage('--job-users and --single-user: give one of them')
  if (!isPrivileged())
    throw usage('--job-users: only root can start jobs as other users, or a service with CAP_SETUID, CAP_SETGID and CAP_CHOWN')
  return {
    jobUsers: new Map(
      list
        .split(',')
        .map((entry) => userListed(entry.trim()))
        .map((user) => [user.name, user]),
    ),
  }
}

function userListed(entry: string): UnixUser {
  const [, name = '', uid] = /^([^:]*)(?::(\d+))?$/.exec(entry) ?? []
  const user = findUnixUser(name)
  if (user === undefined) throw usage(`--job-users: there is no Unix user "${entry}" on this machine`)
  const problem = userProblem(user, uid === undefined ? undefined : Number(uid))
  if (problem !== undefined) throw usage(`--job-users: ${problem}`)
  return user
}

const usage = (problem: string): IronlawError => new IronlawError('IL_USAGE', { problem, command: 'up' })

const isOwned = (storage: SharedStorage | OwnedStorage): storage is OwnedStorage => 'own' in storage

export const jobStorage = ({ jobUsers }: JobUserOptions, runs: string, report: (problem: string) => void): SharedStorage | OwnedStorage =>
  jobUsers ? ownedStorage(report, { runs }) : sharedStorage(report)

type JobPorts = JobUserOptions & {
  readonly database: Database
  readonly executor: Executor
  readonly storage: SharedStorage | OwnedStorage
  readonly runs: string
  readonly host: string
  readonly now: () => number
}

export type OwnedJobs = { readonly executor: Executor; readonly ownership?: JobOwnership }

export function ownedJobs({ jobUsers: users, singleUser, storage, runs, host, ...ports }: JobPorts): OwnedJobs {
  if (users && isOwned(storage)) {
    const ownership = jobOwnership({ ...ports, storage, users, site: { runs }, userOfProject: userOfProject(ports.database) })
    return { executor: ownedExecutor(ports.executor, ownership), ownership }
  }
  if (singleUser) return { executor: ports.executor }
  const reason = async (): Promise<string | undefined> => {
    if (isLoopbackHost(host) && !(await hasTeams(ports.database))) return undefined
    return `the control plane runs no jobs as its own user ${isLoopbackHost(host) ? 'where there are teams' : 'beyond loopback'}; ${ADVICE}`
  }
  return { executor: withheldExecutor(ports.executor, reason) }
}

const ADVICE = 'start "ironlaw up" with --job-users USER,USER, or with --single-user if all who may submit jobs may be this user'

/** What to say about it at the start. */
export function jobUsersLine({ jobUsers, singleUser, host }: JobUserOptions & { readonly host: string }): string {
  if (jobUsers) return `jobs run as the user of their team: ${[...jobUsers.keys()].join(', ')}`
  if (singleUser) return 'all jobs run as the user of the control plane (--single-user)'
  return isLoopbackHost(host)
    ? 'all jobs run as the user of the control plane, as long as it listens on loopback and has no teams'
    : `no jobs are run: ${ADVICE}`
}

/** The directories of runs can be reached by all, and listed by nobody; logs are ours. Problems are returned. */
export async function openToUsers(
  { jobUsers }: JobUserOptions,
  { storage, runs, logDirectory }: { storage: SharedStorage; runs: string; logDirectory: string },
): Promise<readonly string[]> {
  if (!jobUsers) return []
  await chmod(logDirectory, 0o700)
  const opened = await storage.perform('open', { directory: runs })
  if ('away' in opened) return [`storage at ${runs}: ${opened.away}`]
  return [...jobUsers.values()]
    .filter((user) => !canEnter(user, runs))
    .map(({ name }) => `${name} cannot enter ${runs}: the folders above it must let it through`)
}

function canEnter(user: UnixUser, directory: string): boolean {
  const [command, ...args] = commandAs(user, ['test', '-x', directory])
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch (cause) {
    if (cause instanceof Error && 'status' in cause && cause.status === 1) return false
    throw cause
  }
}
