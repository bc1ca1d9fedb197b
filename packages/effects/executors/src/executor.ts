// The executor interface: what the control plane needs from a system that runs jobs. conformance.ts tests implementations.
//
// Not seeing is an answer of its own. Every question may be answered `unreachable`, and then there is no map of sightings and
// nothing in it to be taken for `absent`; the compiler makes the caller say what it does then. A thrown error was the
// alternative: one catch too wide would have turned it into "no jobs".

import type { NodeSighting, Sighting } from '@ironlaw/contracts'
import type { Done, Refused, Unreachable } from './answers.ts'
import type { JobSpec } from './job-spec.ts'

export interface Executor {
  /** The same key twice is one job, also when the first caller died before it heard the answer. */
  submit(job: JobSpec): Promise<Submitted | Refused | Unreachable>
  /** Of each key, the user that its job was submitted for: a job of that name which belongs to anyone else is not it. Absent: our own user. */
  sightings(keys: readonly string[], owners?: JobOwners): Promise<Sightings | Unreachable>
  /** Done also for a job that has ended or is unknown. A job is gone when a sighting says so, not when this returns. */
  cancel(key: string, owner?: string): Promise<Done | Unreachable>
  /**
   * Gives back some nodes of a running job, whose programs there end; the others continue. Nodes that it does not hold, and all nodes of a job
   * that has ended, are given back already.
   */
  release(key: string, nodes: readonly string[], owner?: string): Promise<Done | Refused | Unreachable>
  capacity(): Promise<Capacity | Unreachable>
  /** Running jobs stay; new ones go elsewhere. */
  drain(node: string, reason: string): Promise<Done | Refused | Unreachable>
  undrain(node: string): Promise<Done | Refused | Unreachable>
}

/** Names of users by the key of their job. */
export type JobOwners = ReadonlyMap<string, string>

/** `reference` is the backend's own name of the job, for people. `already`: the job was there before this call. */
export type Submitted = { readonly answer: 'submitted'; readonly reference: string; readonly already: boolean }
/** Every requested key is in the map. */
export type Sightings = { readonly answer: 'seen'; readonly jobs: ReadonlyMap<string, JobSighting> }
export type Capacity = { readonly answer: 'capacity'; readonly nodes: readonly Node[] }

/**
 * `absent`: the backend answers and knows no such job: never submitted, or ended longer ago than it remembers. `unresponsive` may be empty:
 * a list of jobs does not say how their nodes are, `capacity` does.
 */
export type JobSighting = Exclude<Sighting, { readonly state: 'unreachable' }>

export type Node = NodeSighting & {
  /** Where the backend itself reaches it: a name or an IP address. Absent where that is its name. */
  readonly address?: string
}

/** Of a node that takes jobs. */
export const workingState = ({ slots, free }: Pick<Node, 'slots' | 'free'>): 'idle' | 'busy' => (free === slots ? 'idle' : 'busy')
