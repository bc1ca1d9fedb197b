// The API client of the commands: checks answers by their schema and turns problem responses into catalogue errors.

import { setTimeout as pause } from 'node:timers/promises'
import { IronlawError } from '@ironlaw/contracts'
import { EVENT, type EventView, PROBLEM } from '@ironlaw/contracts/api'
import type * as z from 'zod'
import type { Context } from './context.ts'

type Call = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** A 404 is a result, not an error. */
  readonly absent?: true
}

const ANSWER_WITHIN_MS = 15_000

export async function call<Schema extends z.ZodType>(to: Context, path: string, schema: Schema): Promise<z.infer<Schema>> {
  const answer = await request(to, path, {})
  return schema.parse(await answer.json())
}

export type FoundResource<Value> = { readonly value: Value; readonly etag: string | undefined }

/** Undefined if it does not exist. */
export async function find<Schema extends z.ZodType>(
  to: Context,
  path: string,
  schema: Schema,
): Promise<FoundResource<z.infer<Schema>> | undefined> {
  const answer = await request(to, path, { absent: true })
  if (answer.status === 404) return undefined
  return { value: schema.parse(await answer.json()), etag: answer.headers.get('etag') ?? undefined }
}

type PostOptions<Schema> = { readonly body: object; readonly answer: Schema; readonly key?: string }

export async function post<Schema extends z.ZodType>(
  to: Context,
  path: string,
  { body, answer: schema, key }: PostOptions<Schema>,
): Promise<z.infer<Schema>> {
  const answer = await request(to, path, { method: 'POST', body, headers: key === undefined ? {} : { 'idempotency-key': key } })
  return schema.parse(await answer.json())
}

export async function put<Schema extends z.ZodType>(
  to: Context,
  path: string,
  { body, answer: schema, ifMatch }: Omit<PostOptions<Schema>, 'key'> & { readonly ifMatch?: string },
): Promise<z.infer<Schema>> {
  const answer = await request(to, path, { method: 'PUT', body, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } })
  return schema.parse(await answer.json())
}

export async function remove<Schema extends z.ZodType>(to: Context, path: string, schema: Schema): Promise<z.infer<Schema>> {
  const answer = await request(to, path, { method: 'DELETE' })
  return schema.parse(await answer.json())
}

/** For requests whose answer has no body. */
export async function erase(to: Context, path: string): Promise<void> {
  await request(to, path, { method: 'DELETE' })
}

export async function getText(to: Context, path: string): Promise<{ readonly text: string; readonly headers: Headers }> {
  const answer = await request(to, path, {})
  return { text: await answer.text(), headers: answer.headers }
}

async function request(to: Context, path: string, { method = 'GET', body, headers, absent }: Call): Promise<Response> {
  const answer = await fetchOrThrow(to, path, {
    method,
    headers: { authorization: `Bearer ${to.token}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok && !(absent && answer.status === 404)) throw await refusal(to, answer)
  return answer
}

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
  return problem.success
    ? new IronlawError('IL_API', { code: problem.data.code, problem: problem.data.title, next: problem.data.next })
    : new IronlawError('IL_API', {
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
