// The API client of the pages: same origin, with the token that the user gave. A problem response is a value.

import type { EventView } from '@ironlaw/contracts/api'
import type { AnswerOf, InputOf, OperationName, Transport } from '@ironlaw/contracts/api-client'
import { config } from 'zod/v4/core'

/** Schemas may not compile themselves: the page's security policy forbids that, and reports each try. */
config({ jitless: true })

export type Problem = { readonly ok: false; readonly status: number; readonly title: string; readonly next: string }
export type ApiResult<T> = { readonly ok: true; readonly value: T } | Problem

const TOKEN = 'ironlaw-token'

/** Stands for a session of the identity provider, whose cookie scripts cannot read. */
const SESSION = 'session'

const listeners = new Set<() => void>()

/** Kept for this tab only. */
export const readToken = (): string => sessionStorage.getItem(TOKEN) ?? ''

export function storeToken(token: string): void {
  sessionStorage.setItem(TOKEN, token)
  for (const listener of listeners) listener()
}

export const openSession = (): void => storeToken(SESSION)
export const isSession = (): boolean => readToken() === SESSION

/** For `useSyncExternalStore`. */
export function onTokenChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** With every schema of the API, so it is loaded with the first call: a page that only plans needs none of them. */
const loadClient = () => import('@ironlaw/contracts/api-client').catch(unanswered)

export const call = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
): Promise<ApiResult<AnswerOf<Name>>> =>
  attempt(async (answered) => {
    const { client } = await loadClient()
    const transport = send(signal)
    return client(async (path, request) => {
      const answer = await transport(path, request)
      answered(request.method)
      return answer
    })[name](input)
  })

/** Undefined until the first answer, empty if it was refused. */
export const itemsOf = <T>(answer: ApiResult<{ readonly items: readonly T[] }> | undefined): readonly T[] | undefined =>
  answer?.ok ? answer.value.items : answer && []

/** An operation that lists events, and its input: the same address serves them as they happen. */
type EventStream<Name extends OperationName> = readonly [name: Name, input: InputOf<Name>]

/** Passes on every event as it arrives, until the signal aborts or the connection ends. */
export async function watch<Name extends OperationName>(
  [name, input]: EventStream<Name>,
  signal: AbortSignal,
  tell: (event: EventView) => void,
): Promise<void> {
  await attempt(async () => {
    const [{ pathOf }, { watchedEvents }] = await Promise.all([loadClient(), import('@ironlaw/contracts/event-stream').catch(unanswered)])
    const answer = await send(signal)(pathOf(name, input), { method: 'GET', headers: { accept: 'text/event-stream' } })
    for await (const event of watchedEvents(answer)) tell(event)
  })
}

let clockOffset_s = 0

/** Difference of this browser's clock from the control plane's, as of the last answer; answers are dated to the second. */
export const clockAhead_s = (): number => clockOffset_s

class Refused extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.title)
    this.problem = problem
  }
}

/** Also where a part of this page cannot be loaded: it comes from the control plane. */
function unanswered(cause: unknown): never {
  const title = `The control plane does not answer: ${cause instanceof Error ? cause.message : String(cause)}`
  throw new Refused({ ok: false, status: 0, title, next: 'Is it running? "ironlaw up" starts one and serves this page.' })
}

const send =
  (signal: AbortSignal | undefined): Transport =>
  async (path, { headers, ...request }) => {
    const answer = await fetch(path, {
      ...request,
      // The second one is refused to pages of other origins, and so proves that this is none.
      headers: { ...(isSession() ? {} : { authorization: `Bearer ${readToken()}` }), 'x-ironlaw-console': '1', ...headers },
      ...(signal && { signal }),
    }).catch(unanswered)
    const date = Date.parse(answer.headers.get('date') ?? '')
    if (Number.isFinite(date)) clockOffset_s = (Date.now() - date) / 1000
    // A session that has ended leads back to signing in; the address keeps the page.
    if (answer.status === 401 && isSession()) storeToken('')
    if (!answer.ok) throw new Refused(await readProblem(answer))
    return answer
  }

async function attempt<T>(ask: (answered: (method: string) => void) => Promise<T>): Promise<ApiResult<T>> {
  let changed = false
  try {
    return { ok: true, value: await ask((method) => (changed = method !== 'GET')) }
  } catch (cause) {
    if (cause instanceof Refused) return cause.problem
    // What was asked for has happened, so nobody should ask for it again.
    const title = changed
      ? 'Done, but this page cannot read the answer'
      : 'The control plane answered in a form that this page does not know'
    return { ok: false, status: 0, title, next: 'Reload the page: it may be of another version than the control plane.' }
  }
}

async function readProblem(answer: Response): Promise<Problem> {
  const isProblem = answer.headers.get('content-type')?.includes('json') ?? false
  const { title, next: step }: { title?: string; next?: string } = isProblem ? await answer.json() : {}
  return {
    ok: false,
    status: answer.status,
    title: title ?? `The answer was ${answer.status} ${answer.statusText}`,
    next: step ?? 'This page must be served by a control plane: "ironlaw up".',
  }
}
