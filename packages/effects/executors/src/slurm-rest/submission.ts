// A job as `POST job/submit` takes it, and the comparison of what Slurm then holds with what was requested.
//
// The API disables the key for excluded nodes, so a job that excludes any names the nodes that it wants instead: as many as it needs,
// free ones first. It waits for these even when others come free sooner, which is the price of the exclusion here. A list longer than
// the number of nodes, to leave Slurm the choice, is refused by 22.05.8 (2006).
//
// `requeue` is not sent: `false` switches it on. Left out, it is as the cluster's JobRequeue says, and the script gives way when restarted.

import { countOfKind, slotsPerNode } from '@ironlaw/contracts'
import type { Refused } from '../answers.ts'
import type { Node } from '../executor.ts'
import type { JobSpec } from '../job-spec.ts'
import { hostsIn } from '../slurm/host-list.ts'
import { jobName } from '../slurm/job-list.ts'
import { batchScript, gresOf, gresText, mebibytes, type Mismatch, partitionOf } from '../slurm/submission.ts'
import type { JobUsers } from '../users/unix-user.ts'
import type { ShownJob } from './shown-job.ts'

export type Settings = {
  readonly environment: Readonly<Record<string, string>>
  readonly partition: string | undefined
  readonly otherPartitions: readonly string[]
  readonly users: JobUsers
}

/** A submission without any environment is refused, and without a PATH the script does not find srun. */
const LEAST_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Slurm counts whole minutes. */
const minutes = (seconds: number): number => Math.ceil(seconds / 60)

export const submissionOf = (
  job: JobSpec,
  fleet: readonly Node[],
  { environment, partition }: Pick<Settings, 'environment' | 'partition'>,
) => ({
  script: batchScript(job),
  job: {
    name: jobName(job.key),
    comment: job.key,
    dependency: 'singleton',
    // A number: an array, as the published schema has it, is ignored, and without the number of tasks that made one node.
    nodes: job.nodes,
    tasks: job.nodes,
    tasks_per_node: 1,
    cpus_per_task: slotsPerNode(job),
    environment: { ...LEAST_ENVIRONMENT, ...environment },
    current_working_directory: job.directory,
    standard_input: '/dev/null',
    standard_output: `${job.logDirectory}/batch.log`,
    open_mode: 'append',
    ...(job.survivesNodeLoss && { no_kill: 'set' }),
    ...(job.devices && { gres: gresText(job.devices) }),
    ...(job.memory_bytes !== undefined && { memory_per_node: mebibytes(job.memory_bytes) }),
    ...(job.constraint !== undefined && { constraints: job.constraint }),
    ...(job.exclude.length > 0 && { nodelist: nodesFor(job, fleet).join(',') }),
    ...(job.timeLimit_s !== undefined && { time_limit: minutes(job.timeLimit_s) }),
    ...Object.fromEntries(partitionOf(job, partition).map((name) => ['partition', name])),
    ...(job.user?.account !== undefined && { account: job.user.account }),
    ...(job.user?.qos !== undefined && { qos: job.user.qos }),
  },
})

/** The API has no key for it, in the published schema or out of it ("Unknown key"). */
export const switchesRefusal = ({ switches }: JobSpec): Refused | undefined =>
  switches && {
    answer: 'refused',
    field: 'switches',
    reason:
      'the REST API of Slurm v0.0.38 cannot ask for a number of switches; leave it out, or start the control plane with --executor slurm',
  }

const RANKS: Readonly<Record<Node['state'], number>> = { idle: 0, busy: 0, unresponsive: 1, drained: 2, down: 3 }

export function nodesFor(job: JobSpec, fleet: readonly Node[]): readonly string[] {
  const need = slotsPerNode(job)
  const deviceCount = ({ devices }: Node) => countOfKind(devices, job.devices?.kind ?? '')
  const perNode = job.devices?.perNode ?? 0
  const isBusy = (node: Node): number => Number(node.free < need || deviceCount(node).free < perNode)
  return fleet
    .filter((node) => node.slots >= need && deviceCount(node).total >= perNode && !job.exclude.includes(node.name))
    .toSorted((a, b) => RANKS[a.state] - RANKS[b.state] || isBusy(a) - isBusy(b))
    .slice(0, job.nodes)
    .map(({ name }) => name)
}

export function mismatchOf(job: JobSpec, held: ShownJob, partition: string | undefined): Mismatch | undefined {
  const required = hostsIn(held.required_nodes)
  const isNamed = job.exclude.length > 0
  const isSmaller = job.survivesNodeLoss === true && held.job_state === 'RUNNING' && held.node_count < job.nodes
  const compared: readonly (readonly [string, string | number, string | number | null])[] = [
    ['key', job.key, held.comment],
    // One that runs may have lost nodes since.
    ...(isSmaller ? [] : [['nodes', job.nodes, held.node_count] as const, ['nodes', job.nodes, held.tasks] as const]),
    ['processesPerNode', slotsPerNode(job), held.minimum_cpus_per_node],
    ...(job.devices ? [['devices', gresText(job.devices), gresOf(held.tres_per_node ?? '')] as const] : []),
    ...(job.memory_bytes === undefined ? [] : [['memory_bytes', mebibytes(job.memory_bytes), held.memory_per_node ?? null] as const]),
    ...(job.constraint === undefined ? [] : [['constraint', job.constraint, held.features ?? ''] as const]),
    ['exclude', isNamed ? job.nodes : 0, required.length],
    ['exclude', '', required.filter((name) => job.exclude.includes(name)).join(',')],
    ['directory', job.directory, held.current_working_directory],
    ...(job.timeLimit_s === undefined ? [] : [['timeLimit_s', minutes(job.timeLimit_s), held.time_limit] as const]),
    ...partitionOf(job, partition).map((name) => ['partition', name, held.partition] as const),
    ...(job.user === undefined ? [] : [['user', job.user.name, held.user_name] as const]),
    // Slurm writes the names of accounts in small letters.
    ...(job.user?.account === undefined ? [] : [['account', job.user.account.toLowerCase(), held.account?.toLowerCase() ?? ''] as const]),
  ]
  const wrong = compared.find(([, asked, found]) => asked !== found)
  return wrong && { field: wrong[0], reason: `asked for "${wrong[1]}", Slurm holds "${wrong[2]}"` }
}
