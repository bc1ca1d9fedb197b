// A node as `GET nodes` shows it. `GET node/{name}` is of no use: on 22.05.8 it shows none of the CPUs as taken.

import { type Node, workingState } from '../executor.ts'
import { devicesIn } from '../slurm/gres.ts'
import { isObject, isText, isTextList } from './shown-value.ts'

export type ShownNode = {
  readonly name: string
  readonly state: string
  readonly state_flags: readonly string[]
  readonly partitions: readonly string[]
  readonly cpus: number
  readonly idle_cpus: number
  readonly reason: string
  readonly address?: string
  readonly gres?: string
  readonly gres_used?: string
}

export const isShownNode = (node: unknown): node is ShownNode =>
  isObject(node) &&
  ['name', 'state', 'reason'].every((field) => isText(node[field])) &&
  ['cpus', 'idle_cpus'].every((field) => Number.isInteger(node[field])) &&
  isTextList(node['state_flags']) &&
  isTextList(node['partitions']) &&
  ['address', 'gres', 'gres_used'].every((field) => node[field] === undefined || isText(node[field]))

export function nodeOf(shown: ShownNode): Node {
  const { name, state_flags, cpus: slots, idle_cpus, reason, address = name, gres = '', gres_used = '' } = shown
  const away = awayState(shown.state, state_flags)
  const free = away ? 0 : idle_cpus
  const devices = devicesIn({ total: gres, used: gres_used }, !away)
  const known = { ...(devices && { devices }), ...(address !== '' && address !== name && { address }), ...(reason !== '' && { reason }) }
  return { name, state: away ?? workingState({ slots, free }), slots, free, ...known }
}

const WORKING: ReadonlySet<string> = new Set(['idle', 'mixed', 'allocated'])
const OUT_OF_SERVICE: ReadonlySet<string> = new Set(['FAIL', 'MAINTENANCE', 'REBOOT_ISSUED', 'INVALID_REG'])

/** Of a node that takes no jobs. One that no longer answers keeps its state until Slurm marks it down; only the flag shows it. */
function awayState(base: string, flags: readonly string[]): Node['state'] | undefined {
  if (flags.includes('DRAIN')) return 'drained'
  if (!WORKING.has(base) || flags.some((flag) => OUT_OF_SERVICE.has(flag))) return 'down'
  return flags.includes('NOT_RESPONDING') ? 'unresponsive' : undefined
}
