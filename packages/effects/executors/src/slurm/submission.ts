// A job as sbatch takes it, and the comparison of what Slurm then holds with what was asked.

import { type JobSpec, slotsPerNode } from '../job-spec.ts'
import { hostsIn } from './host-list.ts'
import { jobName } from './job-list.ts'

/** Slurm counts whole minutes. */
const minutes = (seconds: number): number => Math.ceil(seconds / 60)

export const sbatchArguments = (job: JobSpec, partition: string | undefined): readonly string[] => [
  '--parsable',
  `--job-name=${jobName(job.key)}`,
  `--comment=${job.key}`,
  '--dependency=singleton',
  '--no-requeue',
  '--open-mode=append',
  '--export=ALL',
  '--input=/dev/null',
  `--output=${job.logDirectory}/batch.log`,
  `--chdir=${job.directory}`,
  `--nodes=${job.nodes}`,
  `--ntasks=${job.nodes}`,
  '--ntasks-per-node=1',
  `--cpus-per-task=${slotsPerNode(job)}`,
  ...(job.exclude.length > 0 ? [`--exclude=${job.exclude.join(',')}`] : []),
  ...(job.timeLimit_s === undefined ? [] : [`--time=${minutes(job.timeLimit_s)}`]),
  ...(partition === undefined ? [] : [`--partition=${partition}`]),
]

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
    ...Object.entries(others).map(([name, value]) => `export ${name}=${quoted(value)}`),
    `exec srun --kill-on-bad-exit=1 --mpi=none --export=ALL --input=none --open-mode=append --ntasks-per-node=1 \\`,
    `  --cpus-per-task=${slotsPerNode(job)} --output=${quoted(`${job.logDirectory}/node-%n.log`)} -- ${program.map(quoted).join(' ')}`,
    '',
  ].join('\n')
}

export type Mismatch = { readonly field: string; readonly reason: string }

/** From one line of `scontrol --oneliner show job`. The first of equal names counts: those that users fill come last. */
export function mismatchOf(job: JobSpec, line: string, partition: string | undefined): Mismatch | undefined {
  const held = (name: string): string => new RegExp(`(?:^| )${name}=(\\S*)`).exec(line)?.[1] ?? ''
  const hosts = (names: readonly string[]): string => names.toSorted().join(',')
  const excluded = held('ExcNodeList')
  const compared: readonly (readonly [string, string, string])[] = [
    ['key', jobName(job.key), held('JobName')],
    ['key', job.key, held('Comment')],
    ['nodes', String(job.nodes), held('NumNodes').replace(/^(\d+)-\1$/, '$1')],
    ['nodes', String(job.nodes), held('NumTasks')],
    ['processesPerNode', String(slotsPerNode(job)), held('CPUs/Task')],
    ['requeue', '0', held('Requeue')],
    ['exclude', hosts(job.exclude), hosts(excluded === '(null)' ? [] : hostsIn(excluded))],
    ['directory', job.directory, /(?:^| )WorkDir=(.*?)(?: \w+=|\s*$)/.exec(line)?.[1] ?? ''],
    ...(job.timeLimit_s === undefined ? [] : [['timeLimit_s', clock(minutes(job.timeLimit_s)), held('TimeLimit')] as const]),
    ...(partition === undefined ? [] : [['partition', partition, held('Partition')] as const]),
  ]
  const wrong = compared.find(([, asked, found]) => asked !== found)
  return wrong && { field: wrong[0], reason: `asked for "${wrong[1]}", Slurm holds "${wrong[2]}"` }
}

/** As Slurm prints a time limit: `[days-]hours:minutes:00`. */
function clock(total: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const days = Math.floor(total / 1440)
  return `${days > 0 ? `${days}-` : ''}${two(Math.floor(total / 60) % 24)}:${two(total % 60)}:00`
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
