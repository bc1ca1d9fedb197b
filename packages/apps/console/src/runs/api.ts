// The API client of the pages: same origin, with the token that the user gave. A problem response is a value.

import type { EventView } from '@ironlaw/contracts/api'

export type Problem = { readonly ok: false; readonly status: number; readonly title: string; readonly next: string }
export type ApiResult<T> = { readonly ok: true; readonly value: T } | Problem

const TOKEN = 'ironlaw-token'

/** Kept for this tab only. */
export const readToken = (): string => sessionStorage.getItem(TOKEN) ?? ''
export const storeToken = (token: string): void => sessionStorage.setItem(TOKEN, token)

export async function get<T>(path: string): Promise<ApiResult<T>> {
  const answer = await request(path, {})
  return answer.ok ? { ok: true, value: await answer.value.json() } : answer
}

export async function readText(path: string): Promise<ApiResult<string>> {
  const answer = await request(path, {})
  return answer.ok ? { ok: true, value: await answer.value.text() } : answer
}

type Headers = Readonly<Record<string, string>>

export const post = <T>(path: string, body?: object, headers?: Headers): Promise<ApiResult<T>> => send<T>('POST', path, { body, headers })
export const put = <T>(path: string, body?: object, headers?: Headers): Promise<ApiResult<T>> => send<T>('PUT', path, { body, headers })

type RequestContent = { readonly body: object | undefined; readonly headers: Headers | undefined }

async function send<T>(method: string, path: string, { body, headers }: RequestContent): Promise<ApiResult<T>> {
  const content = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await request(path, { method, headers: { ...content, ...headers }, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) return answer
  const text = await answer.value.text()
  return { ok: true, value: text === '' ? undefined : JSON.parse(text) }
}

/** Passes on every event as it arrives, until the signal aborts or the connection ends. */
export async function watch(path: string, signal: AbortSignal, tell: (event: EventView) => void): Promise<void> {
  const answer = await request(path, { headers: { accept: 'text/event-stream' }, signal })
  const reader = answer.ok ? answer.value.body?.pipeThrough(new TextDecoderStream()).getReader() : undefined
  let text = ''
  for (let part = await readChunk(reader); part !== undefined; part = await readChunk(reader)) {
    const frames = `${text}${part}`.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data !== undefined) tell(JSON.parse(data))
    }
  }
}

/** Undefined at the end, and when the connection is lost. */
async function readChunk(reader: ReadableStreamDefaultReader<string> | undefined): Promise<string | undefined> {
  try {
    return (await reader?.read())?.value
  } catch {
    return undefined
  }
}

let clockOffset_s = 0

/** Difference of this browser's clock from the control plane's, as of the last answer; answers are dated to the second. */
export const clockAhead_s = (): number => clockOffset_s

type Init = Pick<RequestInit, 'method' | 'body' | 'signal'> & { readonly headers?: Readonly<Record<string, string>> }

async function request(path: string, init: Init): Promise<ApiResult<Response>> {
  try {
    const answer = await fetch(path, { ...init, headers: { authorization: `Bearer ${readToken()}`, ...init.headers } })
    const date = Date.parse(answer.headers.get('date') ?? '')
    if (Number.isFinite(date)) clockOffset_s = (Date.now() - date) / 1000
    return answer.ok ? { ok: true, value: answer } : await readProblem(answer)
  } catch (cause) {
    const title = `The control plane does not answer: ${cause instanceof Error ? cause.message : String(cause)}`
    return { ok: false, status: 0, title, next: 'Is it running? "ironlaw up" starts one and serves this page.' }
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
