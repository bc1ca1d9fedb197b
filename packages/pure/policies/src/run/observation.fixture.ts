// A run of four nodes as decisions about it see it, for tests that change one thing.

import type { Attempt, Member, Sighting } from '@ironlaw/contracts'
import { decideRun, type RunAction } from './decide-run.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import type { ObservedAgent, ObservedAllocation, ObservedExit, ObservedNode, Observation } from './observation.ts'

export const NOW = 10_000
export const CLUSTER = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'].map((name) => ({ name, state: 'idle' as const, slots: 8, free: 8 }))
export const RUNNING: Extract<Sighting, { state: 'running' }> = { state: 'running', nodes: ['n1', 'n2', 'n3', 'n4'], unresponsive: [] }
export const BLIND: Sighting = { state: 'unreachable', reason: 'squeue timed out' }
export const agent = (index: number, age_s = 0.2, over: Partial<ObservedAgent> = {}): ObservedAgent => ({
  allocation: 1,
  index,
  node: `n${index + 1}`,
  incarnation: `i${index}`,
  heardAt: NOW - age_s,
  announcedAt: NOW - age_s,
  ...over,
})
export const memberOf = ({ allocation, index, node, incarnation }: ObservedAgent): Member => ({ allocation, index, node, incarnation })
export const MEMBERS = [0, 1, 2, 3].map((index) => memberOf(agent(index)))
export const allocation = (job: Sighting = RUNNING, over: Partial<ObservedAllocation> = {}): ObservedAllocation => ({
  number: 1,
  state: 'held',
  nodes: 4,
  excluded: [],
  submittedAt: NOW - 120,
  heldAt: NOW - 110,
  job,
  ...over,
})
export const attempt: Attempt = {
  number: 1,
  state: 'running',
  nodes: 4,
  members: MEMBERS,
  excluded: [],
  submittedAt: NOW - 120,
  startedAt: NOW - 100,
  placed: ['n1', 'n2', 'n3', 'n4'],
  lastStep: 50,
  lastStepAt: NOW - 1,
}

const { lastStep: _, lastStepAt: __, ...unstepped } = attempt
export const withoutSteps: Attempt = unstepped

export const beat = (index: number, age_s = 0.5, phase = 'compute'): ObservedNode => ({
  index,
  node: `n${index + 1}`,
  receivedAt: NOW - age_s,
  ranks: [{ rank: index, step: 50, phase, phaseAge_s: 3600, alive: true }],
})
export const exit = (node: number, over: Partial<ObservedExit> = {}): ObservedExit => ({
  node: `n${node + 1}`,
  rank: node,
  code: null,
  signal: 9,
  at: NOW - 1,
  ...over,
})
export const allBeat = [beat(0), beat(1), beat(2), beat(3)]

export const observationWith = ({ job = RUNNING, ...over }: Partial<Observation> = {}): Observation => ({
  now: NOW,
  state: 'running',
  stateSince: NOW - 90,
  desired: 'run',
  shape: { nodes: 4, processesPerNode: 1, smaller: [2] },
  predictedStep_s: 1,
  attempts: [attempt],
  job,
  allocations: [allocation(job)],
  endedAllocations: [],
  agents: [0, 1, 2, 3].map((index) => agent(index)),
  nodes: allBeat,
  exits: [],
  verdicts: [],
  capacity: CLUSTER,
  ...over,
})

export const actionFor = (over: Partial<Observation> = {}): RunAction => decideRun(observationWith(over), DEFAULT_LIMITS)
