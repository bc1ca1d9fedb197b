// The API client of the commands: checks answers by their schema and turns problem responses into catalogue errors.

import { setTimeout as pause } from 'node:timers/promises'
import { IronlawError } from '@ironlaw/contracts'
import { EVENT, type EventView, PROBLEM } from '@ironlaw/contracts/api'
import { type ApiClient, client } from '@ironlaw/contracts/api-client'
import type { Context } from '../context/context.ts'

const ANSWER_WITHIN_MS = 15_000

/** Every operation of the control plane of a context. */
export const api = (to: Context): ApiClient =>
  client(async (path, { headers, ...request }) => {
    const answer = await fetchOrThrow(to, path, {
      ...request,
      headers: { authorization: `Bearer ${to.token}`, ...headers },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    if (!answer.ok) throw await refusal(to, answer)
    return answer
  })

/** Undefined if what was asked for does not exist. */
export const find = <Value>(answer: Promise<Value>): Promise<Value | undefined> =>
  answer.catch((cause: unknown) => {
    if (cause instanceof NotFound) return undefined
    throw cause
  })

class NotFound extends IronlawError {}

async function fetchOrThrow(to: Context, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(new URL(path, to.api), init)
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : String(cause)
    throw new IronlawError('IL_UNREACHABLE', { api: to.api, reason }, { cause })
  }
}

async function refusal(to: Context, answer: Response): Promise<IronlawError> {
  if (answer.status === 401) return new IronlawError('IL_UNAUTHENTICATED', {}, { next: tokenAdvice(to) })
  const problem = PROBLEM.safeParse(await answer.json().catch(() => undefined))
  const Refusal = answer.status === 404 ? NotFound : IronlawError
  return problem.success
    ? new Refusal('IL_API', { code: problem.data.code, problem: problem.data.title, next: problem.data.next })
    : new Refusal('IL_API', {
        code: `HTTP ${answer.status}`,
        problem: answer.statusText,
        next: `check that an Ironlaw control plane runs at ${to.api}, the address from IRONLAW_API or the context file`,
      })
}

/** Advice depends on where the token comes from: the environment variable or a context file. */
function tokenAdvice({ api, tokenFrom = 'the context', name }: Context): string {
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
      for await (const data of eventData(answer)) {
        const event = EVENT.parse(JSON.parse(data))
        last = event.cursor
        wait_ms = RECONNECT_MS.first
        yield event
      }
    }
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

/** Yields data until the connection ends or breaks. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  for (;;) {
    const part = await reader?.read().catch(() => undefined)
    if (!part || part.done) return
    yield part.value
  }
}

async function* eventData(answer: Response): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of chunksOf(answer)) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = block.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
      if (data.length > 0) yield data.join('\n')
    }
  }
}
