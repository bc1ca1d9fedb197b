// Why a job cannot go to these nodes at all, found before Slurm is asked: too few of that size, or no folder for its logs.

import { mkdir } from 'node:fs'
import type { Refused } from '../executor.ts'
import { type JobSpec, misfitOf } from '../job-spec.ts'

export async function unfit(job: JobSpec, nodes: Parameters<typeof misfitOf>[1]): Promise<Refused | undefined> {
  const misfit = misfitOf(job, nodes)
  if (misfit) return misfit
  const reason = await new Promise<string | undefined>((resolve) => {
    mkdir(job.logDirectory, { recursive: true }, (error) => resolve(error?.message))
  })
  return reason === undefined ? undefined : { answer: 'refused', field: 'logDirectory', reason }
}
