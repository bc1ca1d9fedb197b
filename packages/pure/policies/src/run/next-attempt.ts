// What follows when a run has no live attempt: another attempt, on how many nodes and without which, or a wait, or the end.

import { type Attempt, type AttemptOutcome, isInService, type NodeSighting, slotsPerNode } from '@ironlaw/contracts'
import { backoff } from '../backoff.ts'
import { needsCheck } from './check-nodes.ts'
import { deviceMisfit, isEquipped, kindsToTry } from './devices.ts'
import type { RunLimits } from './limits.ts'
import type { Observation } from './observation.ts'
import { countText, timeOfDay } from './sentence.ts'

export type NextAttempt =
  | {
      readonly do: 'begin'
      readonly number: number
      readonly nodes: number
      readonly excluded: readonly string[]
      readonly resumeBefore?: number
      readonly check?: true
    }
  /** `forgive`: failures of attempts up to this number no longer count. */
  | { readonly do: 'wait'; readonly why: string; readonly forgive?: number }
  | { readonly do: 'give-up'; readonly outcome: AttemptOutcome }

/** Suspicion of a node is dropped after this many attempts: it may have been repaired, and drained nodes are kept away anyway. */
const SUSPECT_ATTEMPTS = 3

export function nextAttempt(seen: Observation, limits: RunLimits): NextAttempt {
  const forgive = forgivableAttempt(seen, limits)
  if (forgive !== undefined) return { do: 'wait', why: seen.outage?.why ?? '', forgive }
  const outcome = finalOutcome(seen, limits)
  if (outcome) return { do: 'give-up', outcome }
  const previous = seen.attempts.at(-1)
  const fruitless = attemptsWithoutProgress(seen.attempts).length
  const isForgiven = previous !== undefined && previous.number === seen.forgiven
  const cap_s = isForgiven ? limits.outageBackoffCap_s : limits.backoffCap_s
  // An end further ahead than any wait was written by a clock that was wrong.
  const ended = previous?.endedAt ?? 0
  const until = ended > seen.now + cap_s ? seen.now : ended + Math.min(cap_s, backoff(fruitless, limits))
  if (seen.now < until)
    return { do: 'wait', why: `next attempt at ${timeOfDay(until)} after ${countText(fruitless, 'attempt')} without progress` }
  return attemptOrWait(seen, previous)
}

/** The number of the last attempt, when it failed in an outage and still counts. An outage that does not end needs an operator. */
function forgivableAttempt({ attempts, outage, forgiven = 0, now }: Observation, limits: RunLimits): number | undefined {
  const previous = attempts.at(-1)
  if (!outage || !previous || previous.number <= forgiven || (previous.endedAt ?? 0) < outage.since) return undefined
  const [first = previous] = attemptsWithoutProgress(attempts)
  return now - (first.endedAt ?? now) > limits.outageFor_s ? undefined : previous.number
}

/** Why no further attempt would help. */
function finalOutcome({ attempts: all, forgiven = 0, shape }: Observation, limits: RunLimits): AttemptOutcome | undefined {
  const attempts = all.filter(({ number }) => number > forgiven)
  const { outcome } = attempts.at(-1) ?? {}
  if (outcome?.cause === 'cannot-start' || outcome?.cause === 'cannot-succeed') return outcome
  const isRepeatedBadLoss = ({ outcome: earlier }: Attempt): boolean => earlier?.cause === 'bad-loss' && earlier.step === outcome?.step
  if (outcome?.cause === 'bad-loss' && attempts.slice(0, -1).some(isRepeatedBadLoss))
    return { ...outcome, detail: `${outcome.detail}, again after resuming from an earlier checkpoint` }
  const fruitless = attemptsWithoutProgress(all).filter(({ number }) => number > forgiven)
  const nodesLost = fruitless.filter((attempt) => attempt.outcome?.cause === 'node-lost').length
  const most = shape.retries === undefined ? limits.attemptsWithoutProgress : shape.retries + 1
  if (fruitless.length - nodesLost < most && nodesLost < limits.nodesLostWithoutProgress) return undefined
  return {
    cause: 'no-progress',
    detail:
      fruitless.length === 1
        ? (outcome?.detail ?? 'unknown')
        : `${countText(fruitless.length, 'attempt')} in a row got no further; the last: ${outcome?.detail ?? 'unknown'}`,
  }
}

function attemptOrWait(seen: Observation, previous: Attempt | undefined): NextAttempt {
  const { shape, capacity } = seen
  if (!capacity) return { do: 'wait', why: 'the executor is unreachable, so no nodes can be requested' }
  const usable = capacity.filter((node) => isInService(node) && node.slots >= slotsPerNode(shape))
  const kinds = kindsToTry(seen)
  const most = (nodes: readonly NodeSighting[]): number => Math.max(0, ...kinds.map((kind) => equippedNodes(nodes, seen, kind).length))
  const sizes = [shape.nodes, ...shape.smaller]
  const number = (previous?.number ?? 0) + 1
  const resumeBefore = rollbackStep(previous)
  const resume = resumeBefore === undefined ? {} : { resumeBefore }
  // Where there are not enough others, the oldest suspicion is dropped first: a node that failed just now is the least likely to work.
  for (let attempts = SUSPECT_ATTEMPTS; attempts >= 0; attempts -= 1) {
    const suspects = suspectsOf(seen, attempts)
    const trusted = usable.filter((node) => !suspects.includes(node.name))
    const size = sizes.find((nodes) => most(trusted) >= nodes)
    const check = needsCheck(seen) ? ({ check: true } as const) : {}
    // Spares are checked as far as there are nodes for them.
    const spares = check.check ? Math.min(shape.spares ?? 0, most(trusted) - (size ?? 0)) : 0
    if (size !== undefined) return { do: 'begin', number, nodes: size + spares, excluded: suspects, ...resume, ...check }
  }
  const misfit = seen.devices && deviceMisfit(seen.devices, capacity)
  return { do: 'wait', why: misfit ?? shortageText(seen, capacity, most(usable)) }
}

const equippedNodes = (nodes: readonly NodeSighting[], { devices }: Observation, kind: string | undefined): readonly NodeSighting[] =>
  nodes.filter((node) => isEquipped(node, devices, { kind, by: 'total' }))

/** Those that the last attempts suspected, but for nodes that the run has been given anew since: they were repaired, or not at fault. */
function suspectsOf({ attempts, allocations }: Observation, last: number): readonly string[] {
  const isHeldSince = (node: string, at: number): boolean =>
    allocations.some(({ submittedAt, job }) => submittedAt > at && job.state === 'running' && job.nodes.includes(node))
  const suspected = attempts
    .slice(Math.max(0, attempts.length - last))
    .flatMap(({ outcome, endedAt = Infinity }) => (outcome?.nodes ?? []).filter((node) => !isHeldSince(node, endedAt)))
  return [...new Set(suspected)]
}

/** Before which step to go on: it holds until an attempt got past that step, or the bad checkpoints behind it would be taken again. */
function rollbackStep(previous: Attempt | undefined): number | undefined {
  if (previous?.outcome?.cause === 'bad-loss') return previous.outcome.step
  const before = previous?.resumeBefore
  return before !== undefined && (previous?.lastStep ?? 0) < before ? before : undefined
}

function shortageText({ shape, devices }: Observation, capacity: readonly NodeSighting[], usable: number): string {
  const away = capacity
    .filter((node) => !isInService(node))
    .map((node) => `${node.name} is ${node.state}${node.reason ? ` (${node.reason})` : ''}`)
  const each = `${countText(slotsPerNode(shape), 'slot')}${devices ? ` and ${devices.perNode} ${devices.kinds[0] ?? devices.name}` : ''}`
  const needs = `needs ${countText(shape.nodes, 'node')} with ${each} each, ${usable} in service`
  return away.length === 0 ? needs : `${needs}: ${away.slice(0, 3).join(', ')}${away.length > 3 ? ` and ${away.length - 3} more` : ''}`
}

/**
 * Attempts at the end of the history that reached no step beyond what an earlier one had reached. Preemption does not count as a failure.
 */
function attemptsWithoutProgress(attempts: readonly Attempt[]): readonly Attempt[] {
  let best = -1
  let fruitless: Attempt[] = []
  for (const attempt of attempts.filter(({ check }) => !check)) {
    const step = attempt.lastStep ?? -1
    if (step > best) fruitless = []
    else if (attempt.outcome?.cause !== 'preempted') fruitless.push(attempt)
    best = Math.max(best, step)
  }
  return fruitless
}
