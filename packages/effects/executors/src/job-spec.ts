// What is submitted: one program, started once on each of n nodes at the same time or not at all.

import type { Refused } from './executor.ts'

export type JobSpec = {
  /** Names this attempt for ever; the backend's own job name is made of it. */
  readonly key: string
  readonly nodes: number
  /** What the program of a node will start; with cpusPerProcess, the slots that the job takes on each node. */
  readonly processesPerNode: number
  readonly cpusPerProcess?: number
  readonly exclude: readonly string[]
  /**
   * The loss of a node or the end of one program does not end the others: the job lasts until the last program has ended, and a sighting
   * shows the nodes that it still holds. Each program finds its place in IRONLAW_NODE_INDEX. Otherwise the first program that fails ends all.
   */
  readonly survivesNodeLoss?: boolean
  readonly timeLimit_s?: number
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly directory: string
  /** Made if absent. Output of the program on the node with index i goes to `node-i.log`, appended while it runs. */
  readonly logDirectory: string
}

export const slotsPerNode = ({ processesPerNode, cpusPerProcess = 1 }: JobSpec): number => processesPerNode * cpusPerProcess

export const logFile = ({ logDirectory }: JobSpec, index: number): string => `${logDirectory}/node-${index}.log`

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** A batch script that tries to set one of these ends there, where sh is bash. */
const READ_ONLY: ReadonlySet<string> = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO'])
const isCount = (value: number | undefined): boolean => value === undefined || (Number.isInteger(value) && value > 0)

/** The first field that no backend could take as it stands. */
export function refusalOf(job: JobSpec): Refused | undefined {
  const checks: readonly (readonly [string, boolean, string])[] = [
    ['key', KEY.test(job.key), 'letters, digits, dot, dash and underscore, at most 100'],
    ['nodes', isCount(job.nodes), 'a whole number above 0'],
    ['processesPerNode', isCount(job.processesPerNode), 'a whole number above 0'],
    ['cpusPerProcess', isCount(job.cpusPerProcess), 'a whole number above 0'],
    ['timeLimit_s', job.timeLimit_s === undefined || job.timeLimit_s > 0, 'a number above 0'],
    ['argv', job.argv.length > 0, 'at least the program'],
    ['directory', job.directory.startsWith('/'), 'an absolute path'],
    ['logDirectory', /^\/[^%\\]*$/.test(job.logDirectory), 'an absolute path without % and backslash, which Slurm would expand'],
    ['env', Object.keys(job.env).every((name) => NAME.test(name)), 'names of letters, digits and underscores, no digit first'],
    ['env', Object.values(job.env).every((value) => !value.includes('\0')), 'values without NUL'],
    // sbatch and srun read options from these, so one of them would change the job itself.
    [
      'env',
      !Object.keys(job.env).some((name) => /^(?:SLURM|SBATCH|SRUN)_/.test(name)),
      'no name that begins with SLURM_, SBATCH_ or SRUN_',
    ],
    ['env', !Object.keys(job.env).some((name) => READ_ONLY.has(name)), `none of ${[...READ_ONLY].join(', ')}, which a shell cannot set`],
  ]
  const failed = checks.find(([, holds]) => !holds)
  return failed && { answer: 'refused', field: failed[0], reason: `expected ${failed[2]}` }
}

/** Why no state of this fleet could ever run the job: too few nodes of that size outside the excluded ones. */
export function misfitOf(job: JobSpec, fleet: readonly { readonly name: string; readonly slots: number }[]): Refused | undefined {
  const large = fleet.filter(({ slots }) => slots >= slotsPerNode(job))
  const usable = large.filter(({ name }) => !job.exclude.includes(name))
  if (usable.length >= job.nodes) return undefined
  const need = `${job.nodes} nodes with ${slotsPerNode(job)} slots`
  return large.length >= job.nodes
    ? { answer: 'refused', field: 'exclude', reason: `needs ${need}; ${usable.length} are left without ${job.exclude.join(', ')}` }
    : { answer: 'refused', field: 'nodes', reason: `needs ${need}; there are ${large.length}` }
}
