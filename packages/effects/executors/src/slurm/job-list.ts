// The jobs that Slurm shows, and what each means to us. `-o` formats, since `--json` is not in every version.

import type { JobEnding } from '@ironlaw/contracts'
import type { JobSighting } from '../executor.ts'
import { hostsIn } from './host-list.ts'

export type SlurmJob = {
  readonly id: number
  readonly key: string
  readonly state: string
  readonly nodes: readonly string[]
  readonly start: string
  readonly reason: string
}

/** With the number of its user. */
export type ListedJob = SlurmJob & { readonly uid: number }

const PREFIX = 'il-'
/** The name carries the key: `--dependency=singleton` and a look before submitting both go by name. */
export const jobName = (key: string): string => `${PREFIX}${key}`

/** The number of its user before its name, which that user chose. */
export const JOB_FORMAT = '%i|%U|%j|%T|%N|%S|%r'

/** Ours only, lowest id first. */
export const jobsIn = (stdout: string): readonly ListedJob[] =>
  stdout
    .split('\n')
    .flatMap((line) => {
      const [id = '', uid = '', name = '', state = '', nodes = '', start = '', ...reason] = line.split('|')
      if (!/^\d+$/.test(id) || !name.startsWith(PREFIX)) return []
      const key = name.slice(PREFIX.length)
      return [{ id: Number(id), uid: Number(uid), key, state, nodes: hostsIn(nodes), start, reason: reason.join('|') }]
    })
    .toSorted((a, b) => a.id - b.id)

const ENDED: Readonly<Record<string, JobEnding>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  OUT_OF_MEMORY: 'failed',
  CANCELLED: 'cancelled',
  PREEMPTED: 'cancelled',
  REVOKED: 'cancelled',
  NODE_FAIL: 'node-failed',
  BOOT_FAIL: 'node-failed',
  TIMEOUT: 'timeout',
  DEADLINE: 'timeout',
}

const HOLDS_NODES: ReadonlySet<string> = new Set(['RUNNING', 'SUSPENDED', 'STOPPED', 'SIGNALING', 'RESIZING'])

export const hasEnded = ({ state }: SlurmJob): boolean => ENDED[state] !== undefined
export const hasFailed = ({ state }: SlurmJob): boolean => ENDED[state] === 'failed'
export const holdsNodes = ({ state }: SlurmJob): boolean => HOLDS_NODES.has(state)
export const isPending = (job: SlurmJob): boolean => !hasEnded(job) && !holdsNodes(job) && !ENDING.has(job.state)

const ENDING: ReadonlySet<string> = new Set(['COMPLETING', 'STAGE_OUT'])

/** `exits` and `queue` are queried only when a job has failed or waits. */
export type SightingContext = { readonly exits: ReadonlyMap<number, number>; readonly queue: readonly number[] }

export function sightingOf(job: SlurmJob | undefined, { exits, queue }: SightingContext): JobSighting {
  if (job === undefined) return { state: 'absent' }
  const how = ENDED[job.state]
  if (how === 'failed') {
    const exit = exits.get(job.id)
    return { state: 'ended', how, ...(exit !== undefined && { exit }) }
  }
  if (how !== undefined) return { state: 'ended', how }
  if (holdsNodes(job)) return { state: 'running', nodes: job.nodes, unresponsive: [] }
  if (ENDING.has(job.state)) return { state: 'ending' }
  const position = queue.indexOf(job.id) + 1
  const start_s = Date.parse(`${job.start}Z`) / 1000
  return {
    state: 'pending',
    reason: reasonOf(job),
    ...(position > 0 && { position }),
    ...(Number.isFinite(start_s) && { estimatedStartAt: start_s }),
  }
}

function reasonOf({ state, reason }: SlurmJob): string {
  if (state !== 'PENDING') return `${state} ${reason}`
  return reason === 'None' ? 'not yet looked at by the scheduler' : reason
}

export const EXIT_FORMAT = 'JobID:20,exit_code:20'

/** The status of wait(2) as a shell would say it. */
export const exitsIn = (stdout: string): ReadonlyMap<number, number> =>
  new Map(
    stdout.split('\n').map((line) => {
      const [id = 0, status = 0] = line.trim().split(/\s+/).map(Number)
      return [id, (status & 0x7f) === 0 ? status >> 8 : 128 + (status & 0x7f)]
    }),
  )
