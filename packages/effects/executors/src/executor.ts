// The executor interface: what the control plane needs from a system that runs jobs. conformance.ts tests implementations.
//
// Not seeing is an answer of its own. Every question may be answered `unreachable`, and then there is no map of sightings and
// nothing in it to be taken for `absent`; the compiler makes the caller say what it does then. A thrown error was the
// alternative: one catch too wide would have turned it into "no jobs".

import type { DeviceCount } from '@ironlaw/contracts'
import type { Done, Refused, Unreachable } from './answers.ts'
import type { JobSpec } from './job-spec.ts'

export interface Executor {
  readonly kind: 'slurm' | 'local' | 'simulated'
  /** The same key twice is one job, also when the first caller died before it heard the answer. */
  submit(job: JobSpec): Promise<Submitted | Refused | Unreachable>
  sightings(keys: readonly string[]): Promise<Sightings | Unreachable>
  /** Done also for a job that has ended or is unknown. A job is gone when a sighting says so, not when this returns. */
  cancel(key: string): Promise<Done | Unreachable>
  /**
   * Gives back some nodes of a running job, whose programs there end; the others continue. Nodes that it does not hold, and all nodes of a job
   * that has ended, are given back already.
   */
  release(key: string, nodes: readonly string[]): Promise<Done | Refused | Unreachable>
  capacity(): Promise<Capacity | Unreachable>
  /** Running jobs stay; new ones go elsewhere. */
  drain(node: string, reason: string): Promise<Done | Refused | Unreachable>
  undrain(node: string): Promise<Done | Refused | Unreachable>
}

/** `reference` is the backend's own name of the job, for people. `already`: the job was there before this call. */
export type Submitted = { readonly answer: 'submitted'; readonly reference: string; readonly already: boolean }
/** Every requested key is in the map. */
export type Sightings = { readonly answer: 'seen'; readonly jobs: ReadonlyMap<string, Sighting> }
export type Capacity = { readonly answer: 'capacity'; readonly nodes: readonly Node[] }

export type Sighting =
  | Pending
  | { readonly state: 'running' | 'ending'; readonly nodes: readonly string[] }
  | { readonly state: 'ended'; readonly how: 'completed' | 'cancelled' | 'node-failed' | 'timeout' }
  | Failed
  /** The backend answers and knows no such job: never submitted, or ended longer ago than it remembers. */
  | { readonly state: 'absent' }

type Pending = {
  readonly state: 'pending'
  readonly reason: string
  /** Seconds since 1970. */
  readonly estimatedStart_s?: number
  /** 1 is next. */
  readonly position?: number
}

/** `exit` is 128 + n after signal n. Where several nodes failed it is that of one of them; agents report each. */
type Failed = { readonly state: 'ended'; readonly how: 'failed'; readonly exit?: number }

export type Node = {
  readonly name: string
  /** `silent`: the backend has not heard of it lately and has not yet given it up. */
  readonly state: 'ready' | 'drained' | 'silent' | 'down'
  readonly reason?: string
  readonly slots: number
  readonly freeSlots: number
  /** Accelerators that the backend counts; absent where it counts none. Nothing is free on a node that takes no jobs. */
  readonly devices?: readonly DeviceCount[]
  /** Where the backend itself reaches it: a name or an IP address. Absent where that is its name. */
  readonly address?: string
}
