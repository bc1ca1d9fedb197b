// What becomes of one request: a union of states and one pure function from a state and an event to the next state and what is to be done.
// Nothing here knows a socket, a clock or a price, so every order of events can be tested.
//
//   waiting --placed--> (send) --sent--> sent --first-byte--> answering --passed-on--> streaming
//      ^                                  |                       |                       |
//      +----- lost, and may be tried again, or goes from a trial to what serves -----+    |
//   any of them --completed, failed, client-left--> done                                  +--lost--> done
//
// `finish` is given out on the one way into `done`, and nothing after it but what arrives late.

import { type ApiError, apiError } from '@ironlaw/contracts'
import { mayRetry, responseClass, type ResponseClass, serverErrorVerdict } from '@ironlaw/policies/serving'
import type { Usage } from './usage.ts'

/** What decisions look at in an attempt. */
export type AttemptFacts = { readonly isTrial: boolean; readonly status: number | undefined }

type CallHistory<A> = {
  readonly sent: number
  /** Attempts before a pool that serves took it over from a trial; there they count anew. */
  readonly sentBefore: number
  readonly hasHedged: boolean
  /** A trial has had it, or had no replica for it: it is not sent to one again. */
  readonly wasOnTrial: boolean
  /** Failed, or refused on trial, and not blamed before it is known whether the request is at fault. */
  readonly suspects: readonly A[]
}

export type CallState<A> =
  /** Under way nowhere: waits for its budget or for a place, or is about to be sent. `failure` is its answer when no replica takes it. */
  | { readonly kind: 'waiting'; readonly past: CallHistory<A>; readonly failure: ApiError }
  /** On one replica, or on two; no answer has begun. */
  | { readonly kind: 'sent'; readonly past: CallHistory<A>; readonly attempts: readonly A[] }
  /** An answer has begun, of which the client has nothing yet: another may still replace it. */
  | { readonly kind: 'answering'; readonly past: CallHistory<A>; readonly attempt: A }
  /** The client has the beginning of the answer. What now goes wrong ends it as an error that clients notice. */
  | { readonly kind: 'streaming'; readonly past: CallHistory<A>; readonly attempt: A }
  | { readonly kind: 'done'; readonly past: CallHistory<A> }

/** How a request ends. After `stream` the client has had all of it, after `cut` a part. */
export type CallResult =
  | { readonly kind: 'cached'; readonly body: Buffer }
  | { readonly kind: 'body'; readonly body: Buffer; readonly usage: Usage | undefined }
  | { readonly kind: 'stream'; readonly outcome: 'ok' | 'upstream_error'; readonly usage: Usage | undefined }
  | { readonly kind: 'cut'; readonly error: ApiError }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'client-left' }

/** What another attempt could come to, looked up when one comes to nothing. */
export type Prospects = {
  /** A pool that serves has a replica that works, be it full. */
  readonly servingCanTake: boolean
  /** Another replica has room now. */
  readonly hasReady: boolean
  readonly maxAttempts: number
  readonly left_s: number
}

export type CallEvent<A> =
  /** Quota and budget allow it. */
  | { readonly kind: 'admitted' }
  /** A pool has a place for it. */
  | { readonly kind: 'placed' }
  | { readonly kind: 'sent'; readonly attempt: A }
  /** No replica takes it; `canMove` from a trial to what serves. */
  | { readonly kind: 'unsent'; readonly canMove: boolean }
  /** A replica does not answer with 200. */
  | { readonly kind: 'declined'; readonly attempt: A; readonly status: number; readonly prospects: Prospects }
  | { readonly kind: 'first-byte'; readonly attempt: A }
  | { readonly kind: 'passed-on' }
  | { readonly kind: 'lost'; readonly attempt: A; readonly reason: string; readonly prospects: Prospects }
  | { readonly kind: 'hedge-due'; readonly maxAttempts: number }
  | { readonly kind: 'completed'; readonly attempt?: A; readonly result: CallResult }
  | { readonly kind: 'failed'; readonly error: ApiError }
  | { readonly kind: 'client-left' }

/** What is to be done with replicas and their answers. */
export type ReplicaEffect<A> =
  | { readonly do: 'record-start' | 'leave' | 'forget-answer'; readonly attempt: A }
  /** The replicas are to blame; `blame-unconfirmed` unless the tenant's requests have brought that about of late. */
  | { readonly do: 'blame' | 'blame-unconfirmed'; readonly attempts: readonly A[] }
  | { readonly do: 'count'; readonly metric: 'retries' | 'requests_at_fault' }

export type CallEffect<A> =
  | ReplicaEffect<A>
  | { readonly do: 'choose-pool'; readonly from: 'all' | 'serving' }
  | { readonly do: 'send' }
  /** To be paid for out of the tenant's retries. */
  | { readonly do: 'retry' | 'hedge' }
  /** Answers the client and gives back what was taken for the request. `attempt` is the one that was answering. */
  | { readonly do: 'finish'; readonly result: CallResult; readonly attempt: A | undefined }
  /** Money that was reserved only after the end. */
  | { readonly do: 'return-money' }

export type CallStep<A> = { readonly state: CallState<A>; readonly effects: readonly CallEffect<A>[] }

const NO_REPLICA = apiError('server_is_overloaded', 'no replica is ready', { retryAfter_s: 1 })
const NOTHING: readonly never[] = []

export const newCall = <A>(): CallState<A> => ({
  kind: 'waiting',
  past: { sent: 0, sentBefore: 0, hasHedged: false, wasOnTrial: false, suspects: NOTHING },
  failure: NO_REPLICA,
})

/** Effects are carried out in order; those that lead to another event at once come last. */
export function transition<A extends AttemptFacts>(state: CallState<A>, event: CallEvent<A>): CallStep<A> {
  if (state.kind === 'done') return { state, effects: lateEffects(event) }
  const { past } = state
  switch (event.kind) {
    case 'admitted':
      return { state, effects: [{ do: 'choose-pool', from: 'all' }] }
    case 'placed':
      return state.kind === 'waiting' ? { state: { ...state, failure: NO_REPLICA }, effects: [{ do: 'send' }] } : stay(state)
    case 'sent':
      return afterSent(state, event.attempt)
    case 'unsent':
      if (state.kind !== 'waiting') return stay(state)
      return event.canMove && !past.wasOnTrial ? moved(past, []) : finished(state, { kind: 'refused', error: state.failure })
    case 'declined':
      return state.kind === 'sent' && state.attempts.includes(event.attempt) ? afterDeclined(state, event) : stay(state)
    case 'first-byte':
      return state.kind === 'sent' && state.attempts.includes(event.attempt) ? afterFirstByte(state, event.attempt) : stay(state)
    case 'passed-on':
      return state.kind === 'answering' ? { state: { ...state, kind: 'streaming' }, effects: NOTHING } : stay(state)
    case 'lost':
      return liveAttempts(state).includes(event.attempt) ? afterLost(state, event) : stay(state)
    case 'hedge-due': {
      const isDue =
        state.kind === 'sent' && state.attempts.length === 1 && !past.hasHedged && past.sent - past.sentBefore < event.maxAttempts
      return isDue ? { state: { ...state, past: { ...past, hasHedged: true } }, effects: [{ do: 'hedge' }] } : stay(state)
    }
    case 'completed':
      return event.attempt && !liveAttempts(state).includes(event.attempt)
        ? stay(state)
        : finished(withRefusal(state, event.attempt), event.result)
    case 'failed':
      return finished(state, { kind: state.kind === 'streaming' ? 'cut' : 'refused', error: event.error })
    case 'client-left':
      return finished(state, { kind: 'client-left' })
  }
}

const stay = <A>(state: CallState<A>): CallStep<A> => ({ state, effects: NOTHING })

function liveAttempts<A>(state: CallState<A>): readonly A[] {
  if (state.kind === 'sent') return state.attempts
  return state.kind === 'answering' || state.kind === 'streaming' ? [state.attempt] : NOTHING
}

function lateEffects<A>(event: CallEvent<A>): readonly CallEffect<A>[] {
  if (event.kind === 'admitted') return [{ do: 'return-money' }]
  return event.kind === 'sent' ? [{ do: 'leave', attempt: event.attempt }] : NOTHING
}

function afterSent<A extends AttemptFacts>(state: CallState<A>, attempt: A): CallStep<A> {
  if (state.kind !== 'waiting' && state.kind !== 'sent') return { state, effects: [{ do: 'leave', attempt }] }
  const past = { ...state.past, sent: state.past.sent + 1, wasOnTrial: state.past.wasOnTrial || attempt.isTrial }
  return { state: { kind: 'sent', past, attempts: [...liveAttempts(state), attempt] }, effects: NOTHING }
}

type Sent<A> = Extract<CallState<A>, { kind: 'sent' }>

function afterDeclined<A extends AttemptFacts>(
  state: Sent<A>,
  { attempt, status, prospects }: Extract<CallEvent<A>, { kind: 'declined' }>,
): CallStep<A> {
  const { past } = state
  const kind: ResponseClass = responseClass(status)
  const canMove = attempt.isTrial && prospects.servingCanTake
  if (kind === 'answer' || (kind === 'refusal' && !canMove)) return stay(state)
  // Where no other replica could answer, this answer is passed on.
  const mayTryOther = canMove || (mayTryAgain(past, prospects) && prospects.hasReady)
  const suspected: Sent<A> = { ...state, past: { ...past, suspects: [...past.suspects, attempt] } }
  const lost = { attempt, reason: `status ${status}`, prospects }
  if (kind === 'failure') {
    const verdict = serverErrorVerdict({ failedElsewhere: past.suspects.filter(hasFailed).length, mayRetry: mayTryOther })
    if (verdict === 'retry') return afterLost(suspected, lost)
    return { state: suspected, effects: verdict === 'request' ? [{ do: 'count', metric: 'requests_at_fault' }] : NOTHING }
  }
  if (!mayTryOther) return stay(state)
  if (kind === 'refusal') return afterLost(suspected, lost)
  // Too many requests there says nothing about its health.
  const step = afterLost(state, lost)
  return { ...step, effects: [{ do: 'record-start', attempt }, ...step.effects] }
}

function afterFirstByte<A extends AttemptFacts>({ past, attempts }: Sent<A>, attempt: A): CallStep<A> {
  const kind = responseClass(attempt.status ?? 0)
  const effects: CallEffect<A>[] = []
  // One on trial that refuses everything does not count as healthy.
  if (kind !== 'failure' && !(kind === 'refusal' && attempt.isTrial)) effects.push({ do: 'record-start', attempt })
  // Another replica could answer it.
  const areGuilty = kind === 'answer' && past.suspects.length > 0
  if (areGuilty) effects.push({ do: 'blame', attempts: past.suspects })
  for (const other of attempts) if (other !== attempt) effects.push({ do: 'leave', attempt: other })
  return { state: { kind: 'answering', past: areGuilty ? { ...past, suspects: NOTHING } : past, attempt }, effects }
}

/** An attempt came to nothing: another one, if nothing has been passed on and the retry budget allows. */
function afterLost<A extends AttemptFacts>(
  state: Exclude<CallState<A>, { kind: 'done' }>,
  { attempt, reason, prospects }: Pick<Extract<CallEvent<A>, { kind: 'lost' }>, 'attempt' | 'reason' | 'prospects'>,
): CallStep<A> {
  const { past } = state
  const others = liveAttempts(state).filter((one) => one !== attempt)
  if (others.length > 0) return { state: { kind: 'sent', past, attempts: others }, effects: [{ do: 'leave', attempt }] }
  const failure = apiError('upstream_error', `the engine failed: ${reason}`, { retryAfter_s: 1 })
  if (state.kind === 'streaming') return finished(state, { kind: 'cut', error: failure })
  const left: readonly CallEffect<A>[] = [
    { do: 'leave', attempt },
    { do: 'forget-answer', attempt },
  ]
  if (attempt.isTrial && prospects.servingCanTake) return moved(past, [...left, { do: 'count', metric: 'retries' }])
  if (mayTryAgain(past, prospects)) return { state: { kind: 'waiting', past, failure }, effects: [...left, { do: 'retry' }] }
  return finished(state, { kind: 'refused', error: failure })
}

/** From a trial to what serves, where it waits like any other and is tried as often as any other. */
const moved = <A>(past: CallHistory<A>, effects: readonly CallEffect<A>[]): CallStep<A> => ({
  state: { kind: 'waiting', past: { ...past, sentBefore: past.sent, wasOnTrial: true }, failure: NO_REPLICA },
  effects: [...effects, { do: 'choose-pool', from: 'serving' }],
})

function finished<A>(state: Exclude<CallState<A>, { kind: 'done' }>, result: CallResult): CallStep<A> {
  const { past } = state
  const effects: CallEffect<A>[] = []
  if (past.suspects.length > 0 && result.kind !== 'client-left') effects.push({ do: 'blame-unconfirmed', attempts: past.suspects })
  for (const attempt of liveAttempts(state)) effects.push({ do: 'leave', attempt })
  effects.push({ do: 'finish', result, attempt: state.kind === 'answering' || state.kind === 'streaming' ? state.attempt : undefined })
  return { state: { kind: 'done', past }, effects }
}

/** What serves refuses it as well: the request is at fault, not the replicas that refused it before. */
function withRefusal<A extends AttemptFacts>(
  state: Exclude<CallState<A>, { kind: 'done' }>,
  attempt: A | undefined,
): Exclude<CallState<A>, { kind: 'done' }> {
  if (attempt?.status === undefined || responseClass(attempt.status) !== 'refusal') return state
  return { ...state, past: { ...state.past, suspects: state.past.suspects.filter(hasFailed) } }
}

const mayTryAgain = <A>({ sent, sentBefore }: CallHistory<A>, { maxAttempts, left_s }: Prospects): boolean =>
  mayRetry({ number: sent - sentBefore, maxAttempts, bytesPassedOn: 0, left_s })

const hasFailed = ({ status }: AttemptFacts): boolean => status !== undefined && responseClass(status) === 'failure'
