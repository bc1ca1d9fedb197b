// What an implementation brings to the conformance suite: an executor on a real backend of its own, with a way to crash the
// submitter, to break the backend, and to count jobs in the backend's own records.

import type { Executor } from '../executor.ts'
import type { JobSpec } from '../job-spec.ts'
import type { TestUsers } from './test-users.ts'

/** What the program of a job does on each node. */
export type Behaviour =
  | { readonly does: 'run'; readonly for_s: number; readonly prints?: string }
  | { readonly does: 'exit'; readonly status: number }
  /** By place: how long it lasts and how it ends. */
  | { readonly does: 'last'; readonly for_s: readonly number[]; readonly statuses: readonly number[] }
  | { readonly does: 'die'; readonly signal: number }

export type Rig = {
  readonly executor: Executor
  /** At least four, of `slots` each. */
  readonly nodes: readonly string[]
  readonly slots: number
  /** Accelerators of each node, an even number. */
  readonly devices: { readonly kind: string; readonly perNode: number }
  readonly argv: (behaviour: Behaviour) => readonly string[]
  readonly pass: (seconds: number) => Promise<void>
  /** A process that submits and is killed with SIGKILL right before or right after the backend took the job, before it can report it. */
  readonly crash: (job: JobSpec, when: 'before' | 'after') => Promise<void>
  readonly count: (key: string) => Promise<number>
  /** Until the returned function is called. */
  readonly breakBackend: () => Promise<() => Promise<void>>
  /** Brings a time limit near where the backend's is too coarse for a test. */
  readonly hasten: (key: string) => Promise<void>
  /** Power loss of a node; returns how it comes back. Absent where there is no such thing. */
  readonly loseNode?: (node: string) => Promise<() => Promise<void>>
  /** Why this backend has no logs to read. */
  readonly withoutLogs?: string
  /** That its executor may run jobs as. Absent where this process may not make users. */
  readonly users?: TestUsers
  /** Why a key of this backend cannot name a job of somebody else. */
  readonly withoutOwners?: string
  readonly stop: () => Promise<void>
}

/** A program for the shell, the same wherever there is one. */
export function shellProgram(behaviour: Behaviour): readonly string[] {
  switch (behaviour.does) {
    case 'run':
      return ['/bin/sh', '-c', `echo "$0"; exec sleep ${behaviour.for_s}`, behaviour.prints ?? '']
    case 'exit':
      return ['/bin/sh', '-c', `exit ${behaviour.status}`]
    case 'last': {
      const cases = behaviour.for_s.map((for_s, place) => `${place}) sleep ${for_s}; exit ${behaviour.statuses[place] ?? 0};;`)
      return ['/bin/sh', '-c', `case "$IRONLAW_NODE_INDEX" in ${cases.join(' ')} esac`]
    }
    case 'die':
      return ['/bin/sh', '-c', `kill -${behaviour.signal} $$`]
  }
}
