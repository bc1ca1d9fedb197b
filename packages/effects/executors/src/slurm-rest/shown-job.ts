// A job as `GET jobs` shows it, in the terms of slurm/job-list.ts.

import { hostsIn } from '../slurm/host-list.ts'
import { isObject, isText } from './shown-value.ts'
import { type SlurmJob, type SightingContext, exitsIn, jobName } from '../slurm/job-list.ts'

export type ShownJob = {
  readonly job_id: number
  readonly name: string
  readonly comment: string
  readonly user_name: string
  readonly job_state: string
  readonly state_reason: string
  readonly nodes: string
  /** Seconds since 1970; 0 where Slurm does not know yet. */
  readonly start_time: number
  /** The status of wait(2). */
  readonly exit_code: number
  readonly priority: number
  readonly required_nodes: string
  readonly node_count: number
  readonly tasks: number
  /** Of the tasks on a node together. `cpus_per_task` is null, whatever was requested. */
  readonly minimum_cpus_per_node: number
  /** Minutes; null where there is none. */
  readonly time_limit: number | null
  readonly partition: string
  readonly current_working_directory: string
  readonly tres_per_node?: string
  /** MiB; null where memory was requested by CPU, or not at all. */
  readonly memory_per_node?: number | null
  readonly features?: string
  readonly account?: string
}

/** The last second that a Date can be. */
const LAST_S = 8.64e12

/** What the functions below read; the rest is compared with what was submitted, and differs where it is missing. */
export const isShownJob = (job: unknown): job is ShownJob =>
  isObject(job) &&
  ['name', 'job_state', 'state_reason', 'nodes', 'comment', 'user_name'].every((field) => isText(job[field])) &&
  ['job_id', 'start_time', 'exit_code', 'priority'].every((field) => Number.isInteger(job[field])) &&
  Math.abs(Number(job['start_time'])) <= LAST_S

/** Lowest id first: the first of a key is the job, the others are surplus. */
export const jobsOf = (shown: readonly ShownJob[], key: string): readonly ShownJob[] =>
  shown.filter(({ name }) => name === jobName(key)).toSorted((a, b) => a.job_id - b.job_id)

export const jobOf = (shown: ShownJob): SlurmJob => ({
  id: shown.job_id,
  key: shown.comment,
  state: shown.job_state,
  nodes: hostsIn(shown.nodes),
  start: shown.start_time === 0 ? 'N/A' : new Date(shown.start_time * 1000).toISOString().slice(0, 19),
  reason: shown.state_reason,
})

/** Everybody's jobs, since the position in the queue is among them all. */
export const sightingContext = (everybody: readonly ShownJob[]): SightingContext => ({
  exits: exitsIn(everybody.map(({ job_id, exit_code }) => `${job_id} ${exit_code}`).join('\n')),
  queue: everybody
    .filter(({ job_state }) => job_state === 'PENDING')
    .toSorted((a, b) => b.priority - a.priority || a.job_id - b.job_id)
    .map(({ job_id }) => job_id),
})
