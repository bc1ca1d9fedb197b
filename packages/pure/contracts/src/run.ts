// A run executes a plan, or the command of a job. Its states, the allocations that hold nodes for it, and the attempts that start inside them. An attempt's
// number is the fence: an agent or controller with a lower number than the run's is stale, and storage, store and API reject it.

import type { CheckpointPolicy } from './checkpoint-policy.ts'
import type { DeviceRequest } from './devices.ts'
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

/** Why an attempt was given up, or a run ended: a closed list, each with advice for the user in `NEXT_STEP`. */
export const END_REASONS = [
  'completed',
  'cancelled',
  'preempted',
  'checked',
  'slow-node',
  'rank-died',
  'node-lost',
  'job-ended',
  'job-vanished',
  'hang',
  'straggler',
  'bad-loss',
  'refused',
  'cannot-start',
  'time-limit',
  'start-timeout',
  'no-progress',
] as const

export type EndReason = (typeof END_REASONS)[number]

export const NEXT_STEP: Readonly<Record<EndReason, string>> = {
  completed: 'nothing to do',
  cancelled: 'nothing to do',
  preempted: 'it continues from its last checkpoint when there is room',
  checked: 'nothing to do',
  'slow-node': 'test the node that was slow before returning it to service: ironlaw get nodes',
  'rank-died': 'read the last lines of the rank that died first: ironlaw logs RUN --rank N',
  'node-lost': 'look at the node before returning it to service',
  'job-ended': 'read the log of the attempt: ironlaw logs RUN',
  'job-vanished': 'ask the administrator who cancelled or purged the job',
  hang: 'read where the ranks stood: ironlaw describe RUN',
  straggler: 'test the node that was slow before returning it to service',
  'bad-loss': 'look at the data around that step, or lower the learning rate',
  refused: 'correct what the cluster refused and apply again',
  'cannot-start': 'correct the program, or the directory it starts in, and apply again',
  'time-limit': 'raise timeLimit, or divide the work, and apply again',
  'start-timeout': 'read the log of the agents: the program did not reach its first step',
  'no-progress': 'read the last attempts: ironlaw describe RUN; each failed before it got further',
}

export type Program = {
  readonly argv: readonly string[]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Put into the run's directory before the program starts, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Finds steps in the lines that the program prints. It is matched on the node, next to the program, and never by the control plane. */
  readonly stepPattern?: string
}

/** In an argument of a program with files: the directory that holds them. */
export const RUN_FILES = '{run-files}'

/** What a run requests from an executor, and how persistently the control plane retries. */
export type RunShape = {
  readonly nodes: number
  readonly processesPerNode: number
  /** Smaller numbers of nodes with which the plan can continue when nodes are lost, largest first; empty when it may not shrink. */
  readonly smaller: readonly number[]
  /** Nodes held in addition to the working ones, each with an agent that replaces a lost one at once. None when absent. */
  readonly spares?: number
  /** Accelerators that each node gives to this run alone; none are requested when absent. */
  readonly devices?: DeviceRequest
  readonly cpusPerProcess?: number
  /** Of the host, on each node. */
  readonly memory_bytes?: number
  /** Features of nodes, in the cluster's own words. */
  readonly constraint?: string
  /** As few switches between the nodes as this, where such nodes come free in time. */
  readonly switches?: number
  readonly timeLimit_s?: number
  /** Further attempts after the program has failed by itself without progress; the control plane's default when absent. */
  readonly retries?: number
  /** Measure the nodes before the program starts, and replace those below this share of the fleet's median; not when absent. */
  readonly check?: { readonly share: number }
  /** Absent: chosen by what a checkpoint costs. */
  readonly checkpointEvery_s?: number
  readonly checkpoints?: CheckpointPolicy
}

/** Of an executor's node, one for each processor core. */
export const slotsPerNode = ({ processesPerNode, cpusPerProcess = 1 }: Pick<RunShape, 'processesPerNode' | 'cpusPerProcess'>): number =>
  processesPerNode * cpusPerProcess

export type AttemptOutcome = {
  readonly cause: EndReason
  readonly detail: string
  readonly step?: number
  readonly nodes?: readonly string[]
}

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
