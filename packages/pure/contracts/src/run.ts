// A run executes a plan, or the command of a job. Its states, the allocations that hold nodes for it, and the attempts that start inside them. An attempt's
// number is the fence: an agent or controller with a lower number than the run's is stale, and storage, store and API reject it.

import type { AttemptOutcome } from './attempt-outcome.ts'
import type { RunShape } from './run-shape.ts'
import type { JobEnding } from './sighting.ts'

export const RUN_STATES = [
  'queued',
  'starting',
  'checking',
  'running',
  'unreachable',
  'recovering',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
] as const

export type RunState = (typeof RUN_STATES)[number]

export const TERMINAL_STATES = ['succeeded', 'failed', 'cancelled'] as const satisfies readonly RunState[]

export type TerminalState = (typeof TERMINAL_STATES)[number]

export const isTerminal = (state: RunState): state is TerminalState => TERMINAL_STATES.some((terminal) => terminal === state)

/** In an argument of a program with files: the directory that holds them. */
export const RUN_FILES = '{run-files}'

/** Of an executor's node, one for each processor core. */
export const slotsPerNode = ({ processesPerNode, cpusPerProcess = 1 }: Pick<RunShape, 'processesPerNode' | 'cpusPerProcess'>): number =>
  processesPerNode * cpusPerProcess

/** Nodes that an executor holds for a run, with an agent on each; one job of the executor. It outlives attempts and lost nodes. */
export type Allocation = {
  readonly number: number
  /** `submitting`: intended, perhaps not yet known to the executor. `held`: the executor has shown it running. */
  readonly state: 'submitting' | 'submitted' | 'held' | 'ended'
  readonly nodes: number
  readonly excluded: readonly string[]
  /** Its accelerators by the cluster's name; stored before submission, so that a retry requests the same. */
  readonly deviceKind?: string
  readonly submittedAt: number
  /** The executor's name of the job. */
  readonly reference?: string
  readonly heldAt?: number
  readonly endedAt?: number
  /** As the executor reported; absent when it no longer knew the job. */
  readonly how?: JobEnding
}

/** A place in an allocation with the agent that announced itself from there. `incarnation` distinguishes two agents of one place. */
export type Member = { readonly allocation: number; readonly index: number; readonly node: string; readonly incarnation: string }

export type Attempt = {
  readonly number: number
  /** `submitted`: waits for nodes. `running`: its members are known, and their agents are ordered to start it. */
  readonly state: 'submitted' | 'running' | 'ended'
  readonly nodes: number
  readonly excluded: readonly string[]
  readonly resumeBefore?: number
  /** Its ranks measure their nodes, spares included, instead of running the program. */
  readonly check?: true
  readonly submittedAt: number
  /** In the order of their ranks; the first is the head. */
  readonly members?: readonly Member[]
  /** Nodes it runs or ran on. */
  readonly placed?: readonly string[]
  /** Its reports named ranks or nodes that it does not have, and an event records that. */
  readonly disbelieved?: boolean
  readonly startedAt?: number
  readonly firstStepAt?: number
  readonly lastStep?: number
  readonly lastStepAt?: number
  readonly endedAt?: number
  readonly outcome?: AttemptOutcome
}

/** One job of a run on an executor: the same key twice is one job, also after a crash in between. */
export const allocationKey = (run: string, allocation: number): string => `${run}.alloc-${allocation}`
