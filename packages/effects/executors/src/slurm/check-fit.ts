// Why a job cannot run on these nodes at all, checked before it is submitted to Slurm: too few of that size, or no folder for its logs.
// The folder of a job with a user is made by that user: what is there may be a link that somebody else must not follow.

import { mkdir } from 'node:fs'
import type { Refused, Unreachable } from '../answers.ts'
import { type JobSpec, misfitOf } from '../job-spec.ts'
import { commandAs } from '../users/command-as.ts'
import type { UnixUser } from '../users/unix-user.ts'
import { runCommand } from './command.ts'

/** What is wrong with the folder itself; any other failure is one of the storage and passes. */
const WRONG_FOLDER = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'ENAMETOOLONG', 'EINVAL', 'ELOOP', 'EROFS'])
/** The control plane has just reached the same storage; what takes longer hangs. */
const FOLDER_MS = 5000

type Fleet = Parameters<typeof misfitOf>[1]

export async function checkFit(job: JobSpec, nodes: Fleet, user?: UnixUser): Promise<Refused | Unreachable | undefined> {
  const misfit = misfitOf(job, nodes)
  if (misfit) return misfit
  return user === undefined ? makeFolder(job) : makeFolderAs(user, job)
}

async function makeFolderAs(user: UnixUser, { logDirectory }: JobSpec): Promise<Refused | Unreachable | undefined> {
  const command = commandAs(user, ['/bin/sh', '-c', 'umask 077; exec mkdir -p -- "$0"', logDirectory])
  const environment = { PATH: process.env['PATH'] ?? '' }
  const made = await runCommand({ command, environment, timeout_s: FOLDER_MS / 1000 })
  if (made.answer !== 'ran') return { answer: 'unreachable', reason: `storage: ${made.reason}` }
  return made.status === 0 ? undefined : { answer: 'refused', field: 'logDirectory', reason: made.stderr.trim() }
}

async function makeFolder(job: JobSpec): Promise<Refused | Unreachable | undefined> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>()
  const timer = setTimeout(() => resolve(new Error(`${job.logDirectory}: no answer for ${FOLDER_MS / 1000} s`)), FOLDER_MS)
  mkdir(job.logDirectory, { recursive: true, mode: 0o700 }, (error) => resolve(error ?? undefined))
  const error = await promise
  clearTimeout(timer)
  if (!error) return undefined
  return WRONG_FOLDER.has(error.code ?? '')
    ? { answer: 'refused', field: 'logDirectory', reason: error.message }
    : { answer: 'unreachable', reason: `storage: ${error.message}` }
}
