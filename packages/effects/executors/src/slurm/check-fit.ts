// Why a job cannot run on these nodes at all, checked before it is submitted to Slurm: too few of that size, or no folder for its logs.

import { mkdir } from 'node:fs'
import type { Refused, Unreachable } from '../answers.ts'
import { type JobSpec, misfitOf } from '../job-spec.ts'

/** What is wrong with the folder itself; any other failure is one of the storage and passes. */
const WRONG_FOLDER = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'ENAMETOOLONG', 'EINVAL', 'ELOOP', 'EROFS'])
/** The control plane has just reached the same storage; what takes longer hangs. */
const FOLDER_MS = 5000

export async function checkFit(job: JobSpec, nodes: Parameters<typeof misfitOf>[1]): Promise<Refused | Unreachable | undefined> {
  const misfit = misfitOf(job, nodes)
  if (misfit) return misfit
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
