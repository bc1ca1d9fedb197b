// What is submitted: one program, started once on each of n nodes at the same time or not at all.

import { countOfKind, type DeviceCount, devicesText, slotsPerNode } from '@ironlaw/contracts'
import type { Refused } from './answers.ts'

export type JobSpec = {
  /** Names this attempt for ever; the backend's own job name is made of it. */
  readonly key: string
  readonly nodes: number
  /** What the program of a node will start; with cpusPerProcess, the slots that the job takes on each node. */
  readonly processesPerNode: number
  readonly cpusPerProcess?: number
  /** Accelerators on each node that no other job holds at the same time. `kind` is the backend's name: `gpu:h100`, or `gpu` for any model. */
  readonly devices?: { readonly kind: string; readonly perNode: number }
  /** Of the host, on each node. As the backend decides when absent. */
  readonly memory_bytes?: number
  /** Features that each node must have, as the backend writes them. */
  readonly constraint?: string
  /** As few switches between the nodes as this, if such nodes come free within `wait_s`; any nodes after that. */
  readonly switches?: { readonly most: number; readonly wait_s: number }
  /** Instead of the executor's own. */
  readonly partition?: string
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
  /** Whose job it is; that of the control plane's own user when absent. */
  readonly user?: JobUser
}

/** A Unix user, and what a scheduler charges its jobs to and limits them by. */
export type JobUser = { readonly name: string; readonly account?: string; readonly qos?: string }

export const logFile = ({ logDirectory }: JobSpec, index: number): string => `${logDirectory}/node-${index}.log`

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** A batch script that tries to set one of these ends there, where sh is bash. */
const READ_ONLY: ReadonlySet<string> = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO'])
/** As in Slurm: a resource and, where the cluster distinguishes models, its type. */
const DEVICE_KIND = /^[A-Za-z]\w*(?::[\w.-]+)?$/
const FEATURES = /^[\w.,&|!()[\]*-]+$/
const PARTITION = /^[\w.,-]+$/
const ACCOUNT = /^\w[\w.-]*$/
const isCount = (value: number | undefined): boolean => value === undefined || (Number.isInteger(value) && value > 0)

/** The first field that no backend could take as it stands. */
export function refusalOf(job: JobSpec): Refused | undefined {
  const checks: readonly (readonly [string, boolean, string])[] = [
    ['key', KEY.test(job.key), 'letters, digits, dot, dash and underscore, at most 100'],
    ['nodes', isCount(job.nodes), 'a whole number above 0'],
    ['processesPerNode', isCount(job.processesPerNode), 'a whole number above 0'],
    ['cpusPerProcess', isCount(job.cpusPerProcess), 'a whole number above 0'],
    ['devices', isCount(job.devices?.perNode), 'a whole number above 0 per node'],
    ['devices', DEVICE_KIND.test(job.devices?.kind ?? 'gpu'), 'a name such as gpu or gpu:h100'],
    ['memory_bytes', (job.memory_bytes ?? 1) > 0, 'a number above 0'],
    ['constraint', FEATURES.test(job.constraint ?? 'any'), 'features joined by &, |, comma and brackets, without spaces'],
    ['switches', isCount(job.switches?.most) && (job.switches?.wait_s ?? 0) >= 0, 'a whole number above 0, and a wait of 0 s or more'],
    ['partition', PARTITION.test(job.partition ?? 'any'), 'names of letters, digits, dot, dash and underscore'],
    [
      'user',
      [job.user?.name, job.user?.account, job.user?.qos].every((name = 'any') => ACCOUNT.test(name)),
      'names of letters, digits, dot and dash',
    ],
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

type NodeOffer = { readonly name: string; readonly slots: number; readonly devices?: readonly DeviceCount[] }

/** Why no state of this fleet could ever run the job: too few nodes of that size, with those accelerators, outside the excluded ones. */
export function misfitOf(job: JobSpec, fleet: readonly NodeOffer[]): Refused | undefined {
  const large = fleet.filter(({ slots }) => slots >= slotsPerNode(job))
  const equipped = large.filter(
    ({ devices }) => job.devices === undefined || countOfKind(devices, job.devices.kind).total >= job.devices.perNode,
  )
  const usable = equipped.filter(({ name }) => !job.exclude.includes(name))
  if (usable.length >= job.nodes) return undefined
  if (job.devices && large.length >= job.nodes && equipped.length < job.nodes)
    return {
      answer: 'refused',
      field: 'devices',
      reason: deviceMisfit(job.devices, { nodes: job.nodes, equipped: equipped.length, fleet }),
    }
  const need = `${job.nodes} nodes with ${slotsPerNode(job)} slots${job.devices ? ` and ${job.devices.perNode} ${job.devices.kind}` : ''}`
  return equipped.length >= job.nodes
    ? { answer: 'refused', field: 'exclude', reason: `needs ${need}; ${usable.length} are left without ${job.exclude.join(', ')}` }
    : { answer: 'refused', field: 'nodes', reason: `needs ${need}; there are ${equipped.length}` }
}

type EquippedFleet = { readonly nodes: number; readonly equipped: number; readonly fleet: readonly NodeOffer[] }

function deviceMisfit({ kind, perNode }: NonNullable<JobSpec['devices']>, { nodes, equipped, fleet }: EquippedFleet): string {
  const most = Math.max(0, ...fleet.map(({ devices }) => countOfKind(devices, kind).total))
  if (most >= perNode) return `needs ${nodes} nodes with ${perNode} ${kind} each; ${equipped} have them`
  if (most > 0)
    return `needs ${perNode} ${kind} on a node, no node has more than ${most}; request at most ${most} per node, on more nodes if need be`
  const offers = [...new Set(fleet.map(({ devices = [] }) => devicesText(devices)).filter((text) => text !== ''))]
  return offers.length === 0
    ? `needs ${perNode} ${kind} on a node, and no node offers accelerators that the cluster counts`
    : `needs ${perNode} ${kind} on a node; nodes offer ${offers.join(' or ')}`
}
