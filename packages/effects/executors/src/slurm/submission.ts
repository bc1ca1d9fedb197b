// A job as sbatch takes it, and the comparison of what Slurm then holds with what was requested.

import { slotsPerNode } from '@ironlaw/contracts'
import type { JobSpec } from '../job-spec.ts'
import { hostsIn } from './host-list.ts'
import { jobName } from './job-list.ts'

const MIB = 2 ** 20

/** What sbatch counts memory in. */
export const mebibytes = (bytes: number): number => Math.ceil(bytes / MIB)

/** Slurm counts whole minutes. */
const minutes = (seconds: number): number => Math.ceil(seconds / 60)

export const sbatchArguments = (job: JobSpec, partition: string | undefined): readonly string[] => [
  '--parsable',
  `--job-name=${jobName(job.key)}`,
  `--comment=${job.key}`,
  '--dependency=singleton',
  '--no-requeue',
  ...(job.survivesNodeLoss ? ['--no-kill'] : []),
  '--open-mode=append',
  '--export=ALL',
  '--input=/dev/null',
  `--output=${job.logDirectory}/batch.log`,
  `--chdir=${job.directory}`,
  `--nodes=${job.nodes}`,
  `--ntasks=${job.nodes}`,
  '--ntasks-per-node=1',
  `--cpus-per-task=${slotsPerNode(job)}`,
  // Not --gpus-per-node, which is select/cons_tres only and for resources of the name gpu; this is the same for those.
  ...(job.devices === undefined ? [] : [`--gres=${gresText(job.devices)}`]),
  ...(job.memory_bytes === undefined ? [] : [`--mem=${mebibytes(job.memory_bytes)}M`]),
  ...(job.constraint === undefined ? [] : [`--constraint=${job.constraint}`]),
  ...(job.switches === undefined ? [] : [`--switches=${job.switches.most}@${minutes(job.switches.wait_s)}`]),
  ...(job.exclude.length > 0 ? [`--exclude=${job.exclude.join(',')}`] : []),
  ...(job.timeLimit_s === undefined ? [] : [`--time=${minutes(job.timeLimit_s)}`]),
  ...partitionOf(job, partition).map((name) => `--partition=${name}`),
  ...(job.user?.account === undefined ? [] : [`--account=${job.user.account}`]),
  ...(job.user?.qos === undefined ? [] : [`--qos=${job.user.qos}`]),
]

export const gresText = ({ kind, perNode }: NonNullable<JobSpec['devices']>): string => `${kind}:${perNode}`

/** The job's own, else the executor's; none leaves it to the cluster. */
export const partitionOf = (job: JobSpec, partition: string | undefined): readonly string[] => {
  const name = job.partition ?? partition
  return name === undefined ? [] : [name]
}

/**
 * The environment of the job stands in here, which Slurm keeps for the job's user and its administrators, and nowhere else: in that of
 * sbatch a name such as LD_PRELOAD would run code on this host, in an argument list everybody would read the values. PATH has to find
 * srun first. Restarts belong to the control plane, so a job that Slurm requeued against our word ends at once. From 22.05 on, srun does not
 * take cpus-per-task from sbatch.
 */
export function batchScript(job: JobSpec): string {
  const { PATH, ...others } = job.env
  const program = [...(PATH === undefined ? [] : ['env', `PATH=${PATH}`]), ...job.argv]
  return [
    '#!/bin/sh',
    '[ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] && exit 0',
    ...Object.entries(others).map(([name, value]) => `export ${name}=${shellQuoted(value)}`),
    ...(job.survivesNodeLoss ? oneStepEach(job, program) : oneStep(job, program)),
  ].join('\n')
}

function oneStep(job: JobSpec, program: readonly string[]): readonly string[] {
  return [
    `exec srun --kill-on-bad-exit=1 --mpi=none --export=ALL --input=none --open-mode=append --ntasks-per-node=1 \\`,
    `  --cpus-per-task=${slotsPerNode(job)} --output=${shellQuoted(`${job.logDirectory}/node-%n.log`)} -- ${program.map(shellQuoted).join(' ')}`,
    '',
  ]
}

/**
 * A step for each node. With one step for all, srun ends it when a node that was lost registers again ("missing step on node"). The program
 * writes its own log: what goes through srun is lost with the node that the script runs on, and the programs of the others must not be.
 * When that node is lost, nothing is left to report to Slurm that the job has ended, so its submitter has to cancel it.
 */
function oneStepEach(job: JobSpec, program: readonly string[]): readonly string[] {
  return [
    'il_index=0; il_steps=; il_worst=0',
    'for il_node in $(scontrol show hostnames "$SLURM_JOB_NODELIST"); do',
    '  IRONLAW_NODE_INDEX=$il_index srun --no-kill --mpi=none --export=ALL --input=none --output=none --nodes=1 --ntasks=1 --nodelist="$il_node" \\',
    `    --cpus-per-task=${slotsPerNode(job)} -- /bin/sh -c 'exec "$@" >> "$0" 2>&1' ${shellQuoted(`${job.logDirectory}/node-`)}"$il_index".log \\`,
    `    ${program.map(shellQuoted).join(' ')} &`,
    '  il_steps="$il_steps $!"; il_index=$((il_index + 1))',
    'done',
    'for il_step in $il_steps; do wait "$il_step"; il_status=$?; [ "$il_status" -gt "$il_worst" ] && il_worst=$il_status; done',
    'exit "$il_worst"',
    '',
  ]
}

export type Mismatch = { readonly field: string; readonly reason: string }

/** From one line of `scontrol --oneliner show job`. The first of equal names counts: those that users fill come last. */
export function mismatchOf(job: JobSpec, line: string, partition: string | undefined): Mismatch | undefined {
  const heldField = (name: string): string => new RegExp(`(?:^| )${name}=(\\S*)`).exec(line)?.[1] ?? ''
  const hosts = (names: readonly string[]): string => names.toSorted().join(',')
  const excluded = heldField('ExcNodeList')
  const isSmaller = job.survivesNodeLoss === true && heldField('JobState') === 'RUNNING' && Number(heldField('NumNodes')) < job.nodes
  const compared: readonly (readonly [string, string, string])[] = [
    ['key', jobName(job.key), heldField('JobName')],
    ['key', job.key, heldField('Comment')],
    // One that runs may have lost nodes since.
    ...(isSmaller ? [] : [['nodes', String(job.nodes), heldField('NumNodes').replace(/^(\d+)-\1$/, '$1')] as const]),
    ...(isSmaller ? [] : [['nodes', String(job.nodes), heldField('NumTasks')] as const]),
    ['processesPerNode', String(slotsPerNode(job)), heldField('CPUs/Task')],
    ...(job.devices ? [['devices', gresText(job.devices), gresOf(heldField('TresPerNode'))] as const] : []),
    ...(job.memory_bytes === undefined
      ? []
      : [['memory_bytes', `${mebibytes(job.memory_bytes)} MiB`, `${mebibytesIn(heldField('MinMemoryNode'))} MiB`] as const]),
    ...(job.constraint === undefined ? [] : [['constraint', job.constraint, heldField('Features')] as const]),
    ...(job.switches === undefined ? [] : [['switches', String(job.switches.most), heldField('Switches').replace(/@.*/, '')] as const]),
    ['requeue', '0', heldField('Requeue')],
    ['exclude', hosts(job.exclude), hosts(excluded === '(null)' ? [] : hostsIn(excluded))],
    ['directory', job.directory, /(?:^| )WorkDir=(.*?)(?: \w+=|\s*$)/.exec(line)?.[1] ?? ''],
    ...(job.timeLimit_s === undefined ? [] : [['timeLimit_s', clock(minutes(job.timeLimit_s)), heldField('TimeLimit')] as const]),
    ...partitionOf(job, partition).map((name) => ['partition', name, heldField('Partition')] as const),
    ...(job.user === undefined ? [] : [['user', job.user.name, heldField('UserId').replace(/\(\d+\)$/, '')] as const]),
    // Slurm writes the names of accounts in small letters.
    ...(job.user?.account === undefined ? [] : [['account', job.user.account.toLowerCase(), heldField('Account').toLowerCase()] as const]),
  ]
  const wrong = compared.find(([, asked, found]) => asked !== found)
  return wrong && { field: wrong[0], reason: `asked for "${wrong[1]}", Slurm holds "${wrong[2]}"` }
}

/** `gres:gpu:h100:2`, from 23.11 on `gres/gpu:h100:2`. */
export const gresOf = (shown: string): string => shown.replace(/^gres[:/]/, '')

/** As Slurm prints memory: whole numbers of the largest unit that divides it. */
function mebibytesIn(shown: string): number {
  const [, count = '', unit = ''] = /^(\d+)([MGT])$/.exec(shown) ?? []
  return Number(count) * (UNITS[unit] ?? Number.NaN)
}

const UNITS: Readonly<Record<string, number>> = { M: 1, G: 2 ** 10, T: 2 ** 20 }

/** As Slurm prints a time limit: `[days-]hours:minutes:00`. */
function clock(total: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const days = Math.floor(total / 1440)
  return `${days > 0 ? `${days}-` : ''}${two(Math.floor(total / 60) % 24)}:${two(total % 60)}:00`
}

const shellQuoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
