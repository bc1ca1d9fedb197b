// The next action for a run: a pure function of the observed state. The reconciler executes it under its fence and may be killed in
// between or execute it twice, so every action is idempotent.

import type { Allocation, Attempt, AttemptOutcome, Member, RunState, Sighting, TerminalState } from '@ironlaw/contracts'
import { seconds, show } from '@ironlaw/units'
import { checkResult } from './check-nodes.ts'
import { EXITS_KEPT } from '@ironlaw/contracts/report'
import { type Diagnosis, diagnosis } from './diagnosis.ts'
import { type GatherAction, gatherNodes, restockAction, sightingOfAll, wasAccepted } from './gather-nodes.ts'
import type { RunLimits } from './limits.ts'
import { type NextAttempt, nextAttempt } from './next-attempt.ts'
import type { Observation } from './observation.ts'
import { countText, timeOfDay } from './sentence.ts'

type BeginAttempt = Extract<NextAttempt, { do: 'begin' }>

export type RunAction =
  /** Nothing changes, except perhaps the state and the sentence that says why. */
  | { readonly do: 'watch'; readonly state: RunState; readonly why: string; readonly forgive?: number }
  /** A new attempt; the previous one, if any, is over. Where it runs is decided next. */
  | BeginAttempt
  | Exclude<GatherAction, { do: 'wait' }>
  /** Give up the current attempt and suspect its nodes; what is held stays held. What follows is decided in the next look. */
  | { readonly do: 'abandon'; readonly diagnosis: Diagnosis }
  /** Give back everything that is held. */
  | { readonly do: 'cancel-jobs'; readonly state: 'cancelling' | 'recovering'; readonly why: string }
  | { readonly do: 'end'; readonly state: TerminalState; readonly outcome: AttemptOutcome }

export function decideRun(seen: Observation, limits: RunLimits): RunAction {
  const attempt = seen.attempts.at(-1)
  const live = attempt && attempt.state !== 'ended' ? attempt : undefined
  if (seen.completed)
    return endAction('succeeded', { cause: 'completed', detail: `reached step ${seen.completed.step}`, step: seen.completed.step })
  if (seen.desired === 'cancel') return cancelAction(seen)
  if (seen.isJob && seen.endedAllocations.some(({ how }) => how === 'timeout')) return failAction(seen, timeLimitOutcome(seen))
  if (!live) return actionBetweenAttempts(seen, limits)
  if (!live.members) return gatherAction(seen, live, limits)
  if (seen.storageAway !== undefined) return storageWaitAction(seen.storageAway)
  if (live.check) return checkAction(seen, live, limits)
  if (finishedWithoutRecord(seen, live)) return endAction('succeeded', { cause: 'completed', detail: 'the job ended without error' })
  const found = diagnosis(seen, live, limits) ?? missingAgentsDiagnosis(seen, live, limits)
  if (found) return { do: 'abandon', diagnosis: found }
  const next = watchAction(seen, live, limits)
  const restocked = next.do === 'watch' && next.state === 'running' ? restockAction(seen, live, limits) : undefined
  return restocked && restocked.do !== 'wait' ? restocked : next
}

function checkAction(seen: Observation, attempt: Attempt, limits: RunLimits): RunAction {
  const found = checkResult(seen, attempt, { limits, lost: missingAgentsDiagnosis(seen, attempt, limits) })
  if (found) return { do: 'abandon', diagnosis: found }
  return { do: 'watch', state: 'checking', why: `measuring ${countText(attempt.nodes, 'node')} before the start` }
}

const endAction = (state: TerminalState, outcome: AttemptOutcome): RunAction => ({ do: 'end', state, outcome })

/** Storage may record that it ended well: until that can be read, no failure is counted and nothing is started twice. */
const storageWaitAction = (reason: string): RunAction => ({ do: 'watch', state: 'recovering', why: `waiting for storage: ${reason}` })

/** A cancellation ends only when the executor confirms that everything is released: what may still run still costs money. */
function cancelAction({ attempts, allocations }: Observation): RunAction {
  const job = sightingOfAll(allocations)
  if (attempts.length === 0) return endAction('cancelled', { cause: 'cancelled', detail: 'cancelled before it ran' })
  if (job.state === 'ended' || job.state === 'absent') return endAction('cancelled', { cause: 'cancelled', detail: 'cancelled on request' })
  const why = job.state === 'unreachable' ? `cannot cancel yet: ${job.reason}` : 'waiting for the executor to confirm'
  return { do: 'cancel-jobs', state: 'cancelling', why }
}

function actionBetweenAttempts(seen: Observation, limits: RunLimits): RunAction {
  const before = seen.attempts.at(-1)
  if (before && wasPreemptedWaiting(before) && isHeld(seen))
    return { do: 'cancel-jobs', state: 'recovering', why: before.outcome?.detail ?? 'releasing its nodes' }
  const next = nextAttempt(seen, limits)
  if (next.do === 'begin') return next
  if (next.do === 'wait') {
    const { why, forgive } = next
    return { do: 'watch', state: seen.attempts.length === 0 ? 'queued' : 'recovering', why, ...(forgive !== undefined && { forgive }) }
  }
  return failAction(seen, next.outcome)
}

/** Others are preempted while they run. */
const wasPreemptedWaiting = ({ members, outcome }: Attempt): boolean => !members && outcome?.cause === 'preempted'

function isHeld({ allocations }: Observation): boolean {
  const { state } = sightingOfAll(allocations)
  return state !== 'ended' && state !== 'absent'
}

/** A program that still runs may yet finish, whatever the diagnosis was. */
function failAction(seen: Observation, outcome: AttemptOutcome): RunAction {
  if (!isHeld(seen)) return endAction('failed', outcome)
  return { do: 'cancel-jobs', state: 'recovering', why: `${outcome.detail}; waiting for its nodes to be released` }
}

/** A run with checkpoints continues in the next allocation; a job would start over and get no further. */
const timeLimitOutcome = ({ shape: { timeLimit_s } }: Observation): AttemptOutcome => ({
  cause: 'time-limit',
  detail:
    timeLimit_s === undefined
      ? 'the time limit of the cluster was reached'
      : `the time limit of ${show(seconds(timeLimit_s), 's')} was reached`,
})

function gatherAction(seen: Observation, attempt: Attempt, limits: RunLimits): RunAction {
  // Nodes were held or requested and are gone before anything could start. This counts as a failed attempt, or it would repeat for ever.
  const gone = seen.endedAllocations.find((allocation) => allocation.submittedAt >= attempt.submittedAt && wasAccepted(allocation))
  if (gone) return { do: 'abandon', diagnosis: lostAllocationDiagnosis(gone) }
  const next = gatherNodes(seen, attempt, limits)
  if (next.do !== 'wait') return next
  const idle = idleNodesDiagnosis(seen, attempt, limits)
  if (idle) return { do: 'abandon', diagnosis: idle }
  const { job } = seen
  return { do: 'watch', state: 'starting', why: job.state === 'pending' ? queueText({ ...job, reason: next.why }) : next.why }
}

/** Nodes that are idle because others are missing; the job that holds the others may be waiting for these. */
function idleNodesDiagnosis({ allocations, now }: Observation, attempt: Attempt, { gather_s }: RunLimits): Diagnosis | undefined {
  const pending = allocations.find(({ job }) => job.state === 'pending')
  const held = allocations.flatMap(({ job }) => (job.state === 'running' ? job.nodes : [])).length
  if (!pending || held === 0 || now - Math.max(attempt.submittedAt, pending.submittedAt) <= gather_s) return undefined
  const detail = `releases ${countText(held, 'node')} after waiting ${show(seconds(gather_s), 's')} for ${pending.nodes} more, and requests all of them again`
  return { cause: 'preempted', detail, sources: ['executor'], suspects: [] }
}

function lostAllocationDiagnosis({ number, how }: Allocation): Diagnosis {
  const cause = how === undefined ? 'job-vanished' : how === 'node-failed' ? 'node-lost' : 'job-ended'
  return { cause, detail: `allocation ${number} ${how ?? 'vanished'} before the attempt could start`, sources: ['executor'], suspects: [] }
}

/**
 * A program without the SDK reports no steps and leaves no record; with steps, a missing record means that it did not finish, unless it is a
 * job, whose processes say by their status whether they did. Its nodes stay held, and executors forget jobs (Slurm after minutes): what the
 * agents saw of every rank says the same.
 */
function finishedWithoutRecord(seen: Observation, attempt: Attempt): boolean {
  const { job } = seen
  if (attempt.lastStep !== undefined && !seen.isJob) return false
  return (job.state === 'ended' && job.how === 'completed') || everyRankSucceeded(seen, attempt)
}

/** Only the first exits of a large job are kept; they stand for the rest. */
function everyRankSucceeded({ exits, shape }: Observation, { nodes }: Attempt): boolean {
  const ranks = new Set(exits.map(({ rank }) => rank))
  const isEvery = ranks.size >= Math.min(EXITS_KEPT, nodes * shape.processesPerNode)
  return isEvery && exits.every(({ code, signal }) => code === 0 && signal === null)
}

/**
 * Its agents were ordered to start it, and some have not: their nodes may have died before they could, and without the head no rank
 * reports.
 */
function missingAgentsDiagnosis({ now, nodes, exits, agents }: Observation, attempt: Attempt, limits: RunLimits): Diagnosis | undefined {
  const { startedAt = now, members = [] } = attempt
  const missing = members.filter((_, place) => !nodes.some(({ index }) => index === place))
  if (missing.length === 0 || exits.length > 0 || now - startedAt <= limits.firstReport_s) return undefined
  const isHeard = ({ allocation, index }: Member): boolean =>
    agents.some((agent) => agent.allocation === allocation && agent.index === index && agent.heardAt > startedAt)
  const mute = members.filter((member) => !isHeard(member)).map(({ node }) => node)
  // When no agent at all was heard, the fault is on our side.
  if (mute.length === members.length) return undefined
  const who = missing.map(({ node }) => node).join(', ')
  const suspects = mute.filter((node) => missing.some((member) => member.node === node))
  return { cause: 'start-timeout', detail: `nothing from ${who} for ${Math.round(now - startedAt)} s`, sources: ['silence'], suspects }
}

function watchAction(seen: Observation, attempt: Attempt, limits: RunLimits): RunAction {
  const { job } = seen
  const heard = seen.nodes.some((node) => seen.now - node.receivedAt <= limits.silence_s)
  const stepping = attempt.lastStep !== undefined
  if (heard) {
    if (job.state === 'ended')
      return { do: 'watch', state: 'recovering', why: `the executor reports that the job ${job.how}, but ranks still report` }
    return stepping ? { do: 'watch', state: 'running', why: '' } : actionWithoutSteps(seen, attempt, limits)
  }
  if (job.state === 'unreachable') return { do: 'watch', state: unseenState(seen), why: `cannot see the job: ${job.reason}` }
  if (job.state === 'pending') return { do: 'watch', state: 'starting', why: queueText(job) }
  if (job.state === 'running' && seen.nodes.length === 0)
    return { do: 'watch', state: 'starting', why: 'the job runs, its agents have not reported yet' }
  if (job.state === 'running')
    return { do: 'watch', state: 'unreachable', why: 'no agent reports, but the executor reports that the job runs' }
  return { do: 'watch', state: 'recovering', why: `the job is ${job.state}; waiting for a second source to confirm` }
}

/** A program that joined is loading until its first step. One that does not join may never report any, and runs all the same. */
function actionWithoutSteps(seen: Observation, { startedAt = seen.now }: Attempt, limits: RunLimits): RunAction {
  if (seen.isJob) return { do: 'watch', state: 'running', why: '' }
  const hasJoined = seen.nodes.some(({ ranks }) => ranks.some(({ attached }) => attached !== false))
  // Once it counts as running it stays so: it may join late.
  const state = seen.state === 'running' ? 'running' : 'starting'
  if (hasJoined) return { do: 'watch', state, why: 'ranks have attached, no step yet' }
  if (seen.now - startedAt <= limits.join_s) return { do: 'watch', state, why: 'its processes run, the program has not joined yet' }
  return { do: 'watch', state: 'running', why: 'the program reports no steps: only its processes are watched' }
}

/** Why it waits, behind how many, and from when on it may run. A time of day, not a span: the sentence stays the same while it holds. */
function queueText({ reason, position, estimatedStartAt }: Extract<Sighting, { state: 'pending' }>): string {
  return [
    reason,
    ...(position === undefined ? [] : [`number ${position} in the queue`]),
    ...(estimatedStartAt === undefined ? [] : [`expected to start at ${timeOfDay(estimatedStartAt)}`]),
  ].join(', ')
}

/** A job that was never seen running is not lost, only unseen. */
function unseenState({ state }: Observation): RunState {
  return state === 'queued' || state === 'starting' ? 'starting' : 'unreachable'
}
