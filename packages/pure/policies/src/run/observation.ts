// Everything a decision about a run may rest on, at one time. The control plane fills it from the store and an executor, the
// simulator from its own state; the decision cannot tell which.

import type { Allocation, Attempt, Member, NodeSighting, RunShape, RunState, Sighting } from '@ironlaw/contracts'
import type { Rates } from '@ironlaw/contracts/report'
import type { Outage } from './outage.ts'

export type ObservedRank = {
  readonly rank: number
  readonly step: number
  readonly phase: string
  readonly phaseAge_s: number
  readonly alive: boolean
  /** Whether the program has joined through the SDK; agents of an earlier release do not say. */
  readonly attached?: boolean
}

export type ObservedNode = {
  readonly index: number
  readonly node: string
  readonly receivedAt: number
  readonly ranks: readonly ObservedRank[]
}

/** With neither code nor signal it vanished: its agent broke off, and ranks elsewhere failed. */
export type ObservedExit = {
  readonly node: string
  readonly rank: number
  readonly code: number | null
  readonly signal: number | null
  readonly at: number
  /** By its agent, because another rank had failed. */
  readonly killed?: boolean
  /** Index of the agent that saw it: that of the rank's own node, or for a rank that vanished the one that missed it. */
  readonly witness?: number
  /** False where the node has no such program, so that nothing was started. */
  readonly started?: boolean
  /** The last line that it printed. */
  readonly words?: string
}

/** An allocation that has not ended, with what the executor shows of it now. */
export type ObservedAllocation = Allocation & { readonly job: Sighting }

/** An agent in one of them. */
export type ObservedAgent = Member & {
  /** By itself or through the head of its attempt. */
  readonly heardAt: number
  /** By itself. */
  readonly announcedAt: number
  /** The last attempt whose ranks it has ended; agents of an earlier release do not say. */
  readonly endedAttempt?: number
}

/** A judgement about what the steps show, made by the judges next to this file. */
export type StepVerdict =
  | { readonly of: 'loss'; readonly step: number; readonly what: string }
  | { readonly of: 'straggler'; readonly rank: number; readonly factor: number }

/** Accelerators that the run needs on each node. */
export type DeviceNeeds = {
  readonly perNode: number
  /** The cluster's names of those that will do, best first; empty when it offers none of them. */
  readonly kinds: readonly string[]
  /** As the run calls them. */
  readonly name: string
}

/** What a check found of a node: its slowest device, its best link. */
export type NodeReading = Readonly<Rates> & { readonly node: string }

export type Observation = {
  readonly now: number
  readonly state: RunState
  readonly stateSince: number
  readonly desired: 'run' | 'cancel'
  readonly shape: RunShape
  /** A command without a plan: it is judged by its processes, never by its steps. */
  readonly isJob?: boolean
  /** Absent where the run needs none. */
  readonly devices?: DeviceNeeds
  readonly predictedStep_s?: number
  /** In order of their numbers; the last is the current one. */
  readonly attempts: readonly Attempt[]
  /** What the executor shows of the current attempt: of its members, or of what is to become its members. */
  readonly job: Sighting
  readonly allocations: readonly ObservedAllocation[]
  /** In order of their numbers. */
  readonly endedAllocations: readonly Allocation[]
  readonly agents: readonly ObservedAgent[]
  readonly nodes: readonly ObservedNode[]
  readonly exits: readonly ObservedExit[]
  readonly verdicts: readonly StepVerdict[]
  /** Of the current attempt, where it is a check. */
  readonly readings?: readonly NodeReading[]
  /** The last ones of other nodes with the same accelerators. */
  readonly fleetReadings?: readonly NodeReading[]
  /** Beats and exits of the current attempt that name what it does not have. */
  readonly disbelieved?: number
  /** The completion record of any attempt, which wins over everything else. */
  readonly completed?: { readonly step: number }
  /** Absent when the executor could not be asked. */
  readonly capacity?: readonly NodeSighting[]
  /** Why the run's storage could not be read, or written: what a job that is over left there is not known. */
  readonly storageAway?: string
  /** Failures of attempts up to this number do not count. */
  readonly forgiven?: number
  /** Many runs fail alike at the moment. */
  readonly outage?: Outage
}
