// A control group (v2) for each job of a user, where this machine has them and we may make them: a limit of memory and of processes, and an
// end that nothing escapes.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JobSpec } from '../job-spec.ts'

const ROOTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'] as const
const CONTROLLERS = ['memory', 'pids'] as const
/** Of a node's programs with their threads: far beyond any job that means well. */
const PROCESSES = 32_768

/** Undefined where there are none. */
export function makeControlGroup({ key, memory_bytes, nodes }: JobSpec): string | undefined {
  const root = ROOTS.find((folder) => existsSync(join(folder, 'cgroup.controllers')))
  if (root === undefined) return undefined
  try {
    const parent = join(root, 'ironlaw')
    for (const folder of [root, parent]) {
      mkdirSync(folder, { recursive: true })
      const offered = readFileSync(join(folder, 'cgroup.controllers'), 'utf8').split(/\s/)
      const enabled = CONTROLLERS.filter((name) => offered.includes(name))
      if (enabled.length > 0) writeFileSync(join(folder, 'cgroup.subtree_control'), enabled.map((name) => `+${name}`).join(' '))
    }
    const group = join(parent, key)
    mkdirSync(group, { recursive: true })
    limit(group, 'pids.max', PROCESSES)
    // All programs of the job are on this machine.
    if (memory_bytes !== undefined) limit(group, 'memory.max', Math.ceil(memory_bytes) * nodes)
    return group
  } catch {
    // Not ours to make (a container, another manager of groups): the job runs without.
    return undefined
  }
}

function limit(group: string, name: string, value: number): void {
  if (existsSync(join(group, name))) writeFileSync(join(group, name), String(value))
}

export function killControlGroup(group: string): void {
  if (existsSync(join(group, 'cgroup.kill'))) writeFileSync(join(group, 'cgroup.kill'), '1')
}

/** False while a process of it still ends. */
export function removeControlGroup(group: string): boolean {
  try {
    rmdirSync(group)
    return true
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return true
    if (cause instanceof Error && 'code' in cause && cause.code === 'EBUSY') return false
    throw cause
  }
}
