// What an executor shows of a job. `absent` is a positive answer ("there is no such job"); not being able to ask is
// `unreachable` and says nothing about the job, so it must never lead to a restart by itself.

import type { DeviceCount } from './run-shape.ts'

export type JobEnding = 'completed' | 'failed' | 'cancelled' | 'node-failed' | 'timeout'

export type Sighting =
  | { readonly state: 'unreachable'; readonly reason: string }
  | { readonly state: 'absent' }
  | {
      readonly state: 'pending'
      readonly reason: string
      readonly estimatedStartAt?: number
      /** 1 is next. */
      readonly position?: number
    }
  | { readonly state: 'running'; readonly nodes: readonly string[]; readonly unresponsive: readonly string[] }
  | { readonly state: 'ending' }
  /** `exit` is 128 + n after signal n. Where several nodes failed it is that of one of them; agents report each. */
  | { readonly state: 'ended'; readonly how: JobEnding; readonly exit?: number }

/** `unresponsive`: the cluster has not heard of it lately and has not yet given it up. */
export const NODE_STATES = ['idle', 'busy', 'unresponsive', 'down', 'drained'] as const

export type NodeState = (typeof NODE_STATES)[number]

export type NodeSighting = {
  readonly name: string
  readonly state: NodeState
  /** Processes that fit on the node in all, and those not yet taken. */
  readonly slots: number
  readonly free: number
  /** Accelerators that the cluster counts; absent where it counts none. Nothing is free on a node that takes no jobs. */
  readonly devices?: readonly DeviceCount[]
  readonly reason?: string
}

/** It takes jobs. */
export const isInService = ({ state }: Pick<NodeSighting, 'state'>): boolean => state === 'idle' || state === 'busy'
