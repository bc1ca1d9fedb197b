// The API client of the commands: checks answers by their schema and turns problem responses into catalogue errors.

import { setTimeout as pause } from 'node:timers/promises'
import { trustAuthority } from '@ironlaw/certificates/trust'
import { IronlawError } from '@ironlaw/contracts'
import { type EventView, PROBLEM } from '@ironlaw/contracts/api'
import { type ApiClient, client } from '@ironlaw/contracts/api-client'
import { watchedEvents } from '@ironlaw/contracts/event-stream'
import { certificateAdvice } from './certificate-advice.ts'
import type { Context } from '../context/context.ts'

const ANSWER_WITHIN_MS = 15_000

/** Every operation of the control plane of a context. */
export const api = (to: Context, answerWithin_ms = ANSWER_WITHIN_MS): ApiClient =>
  client(async (path, { headers, ...request }) => {
    const answer = await fetchOrThrow(to, path, {
      ...request,
      headers: { authorization: `Bearer ${to.token}`, ...headers },
      signal: AbortSignal.timeout(answerWithin_ms),
    })
    if (!answer.ok) throw await refusal(to, answer)
    // Read here, so that a connection that breaks in the middle is one that cannot be reached.
    const body = await orUnreachable(to, answer.arrayBuffer())
    return new Response(answer.status === 204 ? null : body, answer)
  })

/** Undefined if what was asked for does not exist. */
export const find = <Value>(answer: Promise<Value>): Promise<Value | undefined> =>
  answer.catch((cause: unknown) => {
    if (cause instanceof NotFound) return undefined
    throw cause
  })

class NotFound extends IronlawError {}
class Unavailable extends IronlawError {}

/** Whether the control plane, or what stands before it, is away for now. */
export const isAway = (cause: unknown): cause is IronlawError =>
  cause instanceof Unavailable || (cause instanceof IronlawError && cause.code === 'IL_UNREACHABLE')

async function fetchOrThrow(to: Context, path: string, init: RequestInit): Promise<Response> {
  if (to.ca !== undefined) trustAuthority(to.ca)
  return orUnreachable(to, fetch(new URL(path, to.api), init))
}

async function orUnreachable<Value>(to: Context, answer: Promise<Value>): Promise<Value> {
  try {
    return await answer
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    const reason = inner instanceof Error ? inner.message : String(inner)
    const next = certificateAdvice(inner, { program: 'ironlaw up', trust: 'add the context or log in with --ca FILE' })
    throw new IronlawError('IL_UNREACHABLE', { api: to.api, reason }, { cause, ...(next !== undefined && { next }) })
  }
}

async function refusal(to: Context, answer: Response): Promise<IronlawError> {
  if (answer.status === 401) return new IronlawError('IL_UNAUTHENTICATED', {}, { next: tokenAdvice(to) })
  // A proxy may answer with a page: the status says enough then.
  const problem = PROBLEM.safeParse(await answer.json().catch(() => undefined))
  const Refusal = answer.status === 404 ? NotFound : answer.status >= 502 && answer.status <= 504 ? Unavailable : IronlawError
  return problem.success
    ? new Refusal('IL_API', { code: problem.data.code, problem: problem.data.title, next: problem.data.next })
    : new Refusal('IL_API', {
        code: `HTTP ${answer.status}`,
        problem: answer.statusText,
        next: `check that an Ironlaw control plane runs at ${to.api}, the address from IRONLAW_API or the context file`,
      })
}

/** Advice depends on where the token comes from: the environment variable or a context file. */
function tokenAdvice({ api, tokenFrom = 'the context', name, person }: Context): string {
  if (person !== undefined && tokenFrom !== 'IRONLAW_TOKEN') return 'the session is over: sign in again with "ironlaw login"'
  if (name !== undefined && name !== 'local' && tokenFrom !== 'IRONLAW_TOKEN')
    return `${api} does not know the token of the context "${name}": ask an administrator for a new one ("ironlaw token create"), then "ironlaw context add ${name} --api ${api} --token-file FILE --replace"`
  return tokenFrom.endsWith('.json')
    ? `${api} does not know the token in ${tokenFrom}: set IRONLAW_TOKEN to another one, or start "ironlaw up", which rewrites the file`
    : `${api} does not know the token in ${tokenFrom}: set it to another one, unset it to use the file that "ironlaw up" writes, or ask an administrator for a new one ("ironlaw token create")`
}

/** Delay between attempts to reach an unavailable control plane, doubled up to the maximum. */
const RECONNECT_MS = { first: 500, most: 10_000 } as const

/** Events as they happen, starting at a cursor. Once connected, it reconnects after every disconnect, however long that takes. */
export async function* watch(to: Context, path: string, signal: AbortSignal): AsyncGenerator<EventView> {
  let last: string | undefined
  let wait_ms: number = RECONNECT_MS.first
  for (let reachedOnce = false; !signal.aborted;) {
    const answer = await openStream(to, path, { signal, last, patient: reachedOnce })
    if (answer) {
      reachedOnce = true
      for await (const event of watchedEvents(answer)) {
        last = event.cursor
        wait_ms = RECONNECT_MS.first
        yield event
      }
    }
    // Interrupted by the signal, which the loop looks at.
    await pause(wait_ms, undefined, { signal }).catch(() => undefined)
    wait_ms = Math.min(2 * wait_ms, RECONNECT_MS.most)
  }
}

type StreamOptions = { readonly signal: AbortSignal; readonly last: string | undefined; readonly patient: boolean }

/** Undefined if the control plane does not answer and the caller will retry. */
async function openStream(to: Context, path: string, { signal, last, patient }: StreamOptions): Promise<Response | undefined> {
  try {
    const answer = await fetchOrThrow(to, path, {
      headers: { authorization: `Bearer ${to.token}`, accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) },
      signal,
    })
    if (answer.ok) return answer
    if (!patient || answer.status < 500) throw await refusal(to, answer)
    return undefined
  } catch (cause) {
    if (signal.aborted || (patient && cause instanceof IronlawError && cause.code === 'IL_UNREACHABLE')) return undefined
    throw cause
  }
}
