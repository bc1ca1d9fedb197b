// A node as `GET nodes` shows it. `GET node/{name}` is of no use: on 22.05.8 it shows none of the CPUs as taken.

import type { Node } from '../executor.ts'
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
}

export const isShownNode = (node: unknown): node is ShownNode =>
  isObject(node) &&
  ['name', 'state', 'reason'].every((field) => isText(node[field])) &&
  ['cpus', 'idle_cpus'].every((field) => Number.isInteger(node[field])) &&
  isTextList(node['state_flags']) &&
  isTextList(node['partitions']) &&
  (node['address'] === undefined || isText(node['address']))

export function nodeOf({ name, state: base, state_flags: flags, cpus: slots, idle_cpus, reason, address = name }: ShownNode): Node {
  const state = stateOf(base, flags)
  const known = { ...(address !== '' && address !== name && { address }), ...(reason !== '' && { reason }) }
  return { name, state, slots, freeSlots: state === 'ready' ? idle_cpus : 0, ...known }
}

const WORKING: ReadonlySet<string> = new Set(['idle', 'mixed', 'allocated'])
const OUT_OF_SERVICE: ReadonlySet<string> = new Set(['FAIL', 'MAINTENANCE', 'REBOOT_ISSUED', 'INVALID_REG'])

/** A node that answers no more keeps its state until Slurm gives it up; only the flag tells. */
function stateOf(base: string, flags: readonly string[]): Node['state'] {
  if (flags.includes('DRAIN')) return 'drained'
  if (!WORKING.has(base) || flags.some((flag) => OUT_OF_SERVICE.has(flag))) return 'down'
  return flags.includes('NOT_RESPONDING') ? 'silent' : 'ready'
}
