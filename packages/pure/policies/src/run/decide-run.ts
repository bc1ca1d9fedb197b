// What to do about a run now: a pure function of what is seen. The reconciler carries the answer out under its fence; carrying it
// out twice, or being killed in between, must do no harm, so every action is one that may be repeated.

import type { Attempt, AttemptOutcome, RunState, Sighting, TerminalState } from '@ironlaw/contracts'
import { type Diagnosis, diagnosis } from './diagnosis.ts'
import type { RunLimits } from './limits.ts'
import { type NextAttempt, nextAttempt } from './next-attempt.ts'
import type { Observation } from './observation.ts'
import { timeOfDay } from './sentence.ts'

type Submit = Extract<NextAttempt, { do: 'submit' }>

export type RunAction =
  /** Nothing changes, except perhaps the state and the sentence that says why. */
  | { readonly do: 'watch'; readonly state: RunState; readonly why: string; readonly forgive?: number }
  /** A new attempt; the previous one, if any, is over. */
  | Submit
  /** The current attempt was recorded but perhaps never reached the executor: ask again, the key makes it one job. */
  | { readonly do: 'submit-again'; readonly attempt: Attempt }
  /** Give up the current attempt: end its job, suspect its nodes. What follows is decided in the next look. */
  | { readonly do: 'abandon'; readonly diagnosis: Diagnosis }
  | { readonly do: 'cancel-job'; readonly why: string }
  | { readonly do: 'end'; readonly state: TerminalState; readonly outcome: AttemptOutcome }

export function decideRun(seen: Observation, limits: RunLimits): RunAction {
  const attempt = seen.attempts.at(-1)
  const live = attempt && attempt.state !== 'ended' ? attempt : undefined
  if (seen.completed)
    return ended('succeeded', { cause: 'completed', detail: `reached step ${seen.completed.step}`, step: seen.completed.step })
  if (seen.desired === 'cancel')
    return live ? cancelled(seen.job) : ended('cancelled', { cause: 'cancelled', detail: 'cancelled before it ran' })
  if (!live) return following(seen, limits)
  if (seen.storageAway !== undefined && isOver(seen.job)) return waitsForStorage(seen.storageAway)
  if (live.state === 'submitting') return { do: 'submit-again', attempt: live }
  if (finishedWithoutRecord(seen, live)) return ended('succeeded', { cause: 'completed', detail: 'the job ended without error' })
  const found = diagnosis(seen, live, limits)
  return found ? { do: 'abandon', diagnosis: found } : watched(seen, live, limits)
}

const ended = (state: TerminalState, outcome: AttemptOutcome): RunAction => ({ do: 'end', state, outcome })

/** Whether it ended well may be written there: until that can be read, nothing is held against the run and nothing is started twice. */
const waitsForStorage = (reason: string): RunAction => ({ do: 'watch', state: 'recovering', why: `waiting for storage: ${reason}` })

const isOver = ({ state }: Sighting): boolean => state === 'ending' || state === 'ended' || state === 'absent'

/** Only the executor's word that the job is over ends a cancellation: what may still run is still paid for. */
function cancelled(job: Sighting): RunAction {
  if (job.state === 'ended' || job.state === 'absent') return ended('cancelled', { cause: 'cancelled', detail: 'cancelled on request' })
  return { do: 'cancel-job', why: job.state === 'unreachable' ? `cannot cancel yet: ${job.reason}` : 'waiting for the executor to confirm' }
}

function following(seen: Observation, limits: RunLimits): RunAction {
  const next = nextAttempt(seen, limits)
  if (next.do === 'submit') return next
  if (next.do === 'give-up') return ended('failed', next.outcome)
  const { why, forgive } = next
  return { do: 'watch', state: seen.attempts.length === 0 ? 'queued' : 'recovering', why, ...(forgive !== undefined && { forgive }) }
}

/**
 * A program without the SDK reports no steps and leaves no record; with steps, a missing record means that it did not finish. Executors
 * forget jobs (Slurm after minutes): what the agents saw of every rank says the same.
 */
function finishedWithoutRecord(seen: Observation, attempt: Attempt): boolean {
  const { job } = seen
  if (attempt.lastStep !== undefined) return false
  return (job.state === 'ended' && job.how === 'completed') || (job.state === 'absent' && everyRankSucceeded(seen, attempt))
}

/** Each of them: the first exits that are kept of a large job do not speak for the rest here. */
function everyRankSucceeded({ exits, shape }: Observation, { nodes }: Attempt): boolean {
  const ranks = new Set(exits.map(({ rank }) => rank))
  return ranks.size >= nodes * shape.processesPerNode && exits.every(({ code, signal }) => code === 0 && signal === null)
}

function watched(seen: Observation, attempt: Attempt, limits: RunLimits): RunAction {
  const { job } = seen
  const heard = seen.nodes.some((node) => seen.now - node.receivedAt <= limits.silence_s)
  const stepping = attempt.lastStep !== undefined
  if (heard) {
    if (job.state === 'ended') return { do: 'watch', state: 'recovering', why: `the executor says the job ${job.how}, yet ranks report` }
    return stepping
      ? { do: 'watch', state: 'running', why: '' }
      : { do: 'watch', state: 'starting', why: 'ranks have attached, no step yet' }
  }
  if (job.state === 'unreachable') return { do: 'watch', state: lostSight(seen), why: `cannot see the job: ${job.reason}` }
  if (job.state === 'pending') return { do: 'watch', state: 'starting', why: queued(job) }
  if (job.state === 'running' && seen.nodes.length === 0)
    return { do: 'watch', state: 'starting', why: 'the job runs, its agents have not reported yet' }
  if (job.state === 'running') return { do: 'watch', state: 'unreachable', why: 'no agent reports, the executor says the job runs' }
  return { do: 'watch', state: 'recovering', why: `the job is ${job.state}; waiting for a second sign` }
}

/** Why it waits, behind how many, and from when on it may run. A time of day, not a span: the sentence stays the same while it holds. */
function queued({ reason, position, estimatedStartAt }: Extract<Sighting, { state: 'pending' }>): string {
  return [
    reason,
    ...(position === undefined ? [] : [`number ${position} in the queue`]),
    ...(estimatedStartAt === undefined ? [] : [`expected to start at ${timeOfDay(estimatedStartAt)}`]),
  ].join(', ')
}

/** A job that was never seen running is not lost, only unseen. */
function lostSight({ state }: Observation): RunState {
  return state === 'queued' || state === 'starting' ? 'starting' : 'unreachable'
}
