// What the store and the executor show of one run, as the observation that decisions are made on.

import type { Allocation, Attempt, NodeSighting, Sighting, SiteDevice } from '@ironlaw/contracts'
import type { Rates, Reading, StepRow } from '@ironlaw/contracts/report'
import {
  type ObservedAgent,
  type ObservedAllocation,
  believedReports,
  deviceNeeds,
  type ObservedExit,
  judgeLoss,
  judgeStraggler,
  type ObservedNode,
  type Observation,
  type Outage,
  placedNodes,
  sightingOfAll,
  sightingOfMembers,
  type StepVerdict,
} from '@ironlaw/policies/run'
import type { Agent, readingsOf, Run, StepBatch, Vitals } from '@ironlaw/store'
import { withProgress } from '../runs/attempt-progress.ts'
import type { RunSpec } from '../runs/run-spec.ts'

export type ObservationInputs = {
  readonly now: number
  readonly run: Run
  readonly spec: RunSpec
  readonly attempts: readonly Attempt[]
  readonly vitals: readonly Vitals[]
  readonly steps: readonly StepBatch[]
  /** Those that ended included. */
  readonly allocations: readonly Allocation[]
  readonly job: (allocation: number) => Sighting
  readonly agents: readonly Agent[]
  /** The last ones of the whole cluster, where the attempt is a check. */
  readonly readings?: Awaited<ReturnType<typeof readingsOf>>
  readonly capacity?: readonly NodeSighting[]
  /** What the site says of accelerators. */
  readonly accelerators?: readonly SiteDevice[]
  /** The completion record, where storage was looked at. */
  readonly completion?: { readonly step: number }
  /** Why it is not known whether there is one. */
  readonly storageAway?: string
  readonly outage?: Outage
}

/** Reported by the program, so it may be anything. */
const stepIn = ({ step }: Readonly<Record<string, unknown>>): number =>
  typeof step === 'number' && Number.isSafeInteger(step) && step >= 0 ? step : 0

export function observation(facts: ObservationInputs): Observation {
  const { now, run, spec, attempts, vitals, steps, capacity, completion, storageAway, outage } = facts
  const told = vitals.find((each) => each.completed !== null)?.completed
  const completed = completion ?? (told ? { step: stepIn(told) } : undefined)
  const allocations = facts.allocations
    .filter(({ state }) => state !== 'ended')
    .map((allocation): ObservedAllocation => ({ ...allocation, job: facts.job(allocation.number) }))
  const endedAllocations = facts.allocations.filter(({ state }) => state === 'ended')
  const job = attemptSighting({ attempts, allocations, endedAllocations })
  const current = attempts.find(({ number }) => number === run.attempt)
  const placed = placedNodes(current, job)
  const said = { nodes: nodesSeen(vitals), exits: exitsSeen(vitals) }
  const { nodes, exits, disbelieved } = current
    ? believedReports(said, { attempt: current, processesPerNode: spec.shape.processesPerNode, ...(placed && { placed }) })
    : { ...said, disbelieved: 0 }
  return {
    now,
    state: run.state,
    stateSince: run.state_since_at,
    desired: run.desired,
    shape: spec.shape,
    isJob: spec.kind !== undefined,
    ...(spec.shape.devices && { devices: deviceNeeds(spec.shape.devices, { site: facts.accelerators ?? [], capacity: capacity ?? [] }) }),
    ...(spec.predicted_step_s !== undefined && { predictedStep_s: spec.predicted_step_s }),
    attempts: attempts.map((attempt) => (attempt.number === run.attempt ? withProgress(attempt, vitals) : attempt)),
    job,
    allocations,
    endedAllocations,
    agents: agentsSeen(facts.agents, attempts.at(-1), nodes),
    nodes,
    exits,
    disbelieved,
    verdicts: stepVerdicts(steps.flatMap((batch) => batch.rows)),
    ...(current?.check && checkReadings(facts, current)),
    ...(completed && { completed }),
    ...(capacity && { capacity }),
    ...(storageAway !== undefined && { storageAway }),
    ...(outage && { outage }),
    forgiven: run.forgiven,
  }
}

/** A rank speaks for the node that it was placed on, whichever it names: of a node the slowest device counts, and its best link. */
function checkReadings(
  { vitals, spec, allocations, readings = [] }: ObservationInputs,
  { placed = [] }: Attempt,
): Pick<Observation, 'readings' | 'fleetReadings'> {
  const { processesPerNode } = spec.shape
  const ranks = vitals.flatMap((each) => each.readings)
  const own = placed.flatMap((node, place) => {
    const [first, ...others] = ranks.filter(({ rank }) => Math.floor(rank / processesPerNode) === place)
    const isWhole = new Set([first, ...others].map((each) => each?.rank)).size === processesPerNode
    return first && isWhole ? [{ node, ...others.reduce(slowerRates, ratesOf(first)) }] : []
  })
  const kind = deviceKindOf(allocations)
  return {
    readings: own,
    fleetReadings: readings.filter((each) => each.kind === kind).map(({ name, reading }) => ({ node: name, ...reading })),
  }
}

function ratesOf(reading: Reading): Rates {
  const { product_flops, memory_bytes_per_s, link_bytes_per_s } = reading
  return { product_flops, memory_bytes_per_s, ...(link_bytes_per_s !== undefined && { link_bytes_per_s }) }
}

function slowerRates(rates: Rates, other: Reading): Rates {
  const link = Math.max(rates.link_bytes_per_s ?? 0, other.link_bytes_per_s ?? 0)
  return {
    product_flops: Math.min(rates.product_flops, other.product_flops),
    memory_bytes_per_s: Math.min(rates.memory_bytes_per_s, other.memory_bytes_per_s),
    ...(link > 0 && { link_bytes_per_s: link }),
  }
}

/** Readings of nodes are compared among those with the same accelerators; a run without any measures processors. */
export const deviceKindOf = (allocations: readonly Allocation[]): string =>
  allocations.find(({ deviceKind }) => deviceKind !== undefined)?.deviceKind ?? ''

/** The members of an attempt that has them; otherwise everything that the run holds or has requested. */
export function attemptSighting(seen: Pick<Observation, 'attempts' | 'allocations' | 'endedAllocations'>): Sighting {
  const attempt = seen.attempts.at(-1)
  return attempt?.members && attempt.state !== 'ended' ? sightingOfMembers(attempt.members, seen) : sightingOfAll(seen.allocations)
}

/** An agent at work is heard through the head of its attempt, one that waits for work by itself. */
function agentsSeen(agents: readonly Agent[], attempt: Attempt | undefined, nodes: readonly ObservedNode[]): readonly ObservedAgent[] {
  return agents.map(({ allocation, node_index, node, incarnation, heard_at, ended_attempt }) => {
    const place = attempt?.members?.findIndex((member) => member.allocation === allocation && member.index === node_index)
    const beatAt = nodes.find(({ index }) => index === place)?.receivedAt ?? -Infinity
    const ended = ended_attempt === null ? {} : { endedAttempt: ended_attempt }
    return { allocation, index: node_index, node, incarnation, heardAt: Math.max(heard_at, beatAt), announcedAt: heard_at, ...ended }
  })
}

/** One entry a node, however many agents spoke of it: the head speaks for all, and each for itself when the head is gone. */
function nodesSeen(vitals: readonly Vitals[]): readonly ObservedNode[] {
  const latest = new Map<number, ObservedNode>()
  for (const { beats, beats_at } of vitals)
    for (const { index, node, age_s, ranks } of beats) {
      const receivedAt = beats_at - age_s
      if (receivedAt <= (latest.get(index)?.receivedAt ?? -Infinity)) continue
      latest.set(index, { index, node, receivedAt, ranks: ranks.map(({ phase_age_s, ...rank }) => ({ ...rank, phaseAge_s: phase_age_s })) })
    }
  return [...latest.values()].toSorted((a, b) => a.index - b.index)
}

/** The witness of a rank's exit is the agent of its node; that of a rank which vanished is the agent that reports it. */
function exitsSeen(vitals: readonly Vitals[]): readonly ObservedExit[] {
  return vitals.flatMap(({ node_index, exits }) =>
    exits.map(({ index, ...exit }) => ({ ...exit, witness: exit.code === null && exit.signal === null ? node_index : index })),
  )
}

function stepVerdicts(rows: readonly StepRow[]): readonly StepVerdict[] {
  const sorted = rows.toSorted((a, b) => a.step - b.step)
  const loss = judgeLoss(sorted)
  const straggler = judgeStraggler(sorted)
  return [...(loss ? [{ of: 'loss' as const, ...loss }] : []), ...(straggler ? [{ of: 'straggler' as const, ...straggler }] : [])]
}
