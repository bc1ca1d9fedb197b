// One request to slurmrestd, v0.0.38. Slurm's own word against a request is `declined`; whatever else is no answer is `unreachable`.
//
// Measured on 22.05.8: with the controller down every request blocks for 9 s, then 500 with code -1, of a submission 1800. An expired
// or wrong token is the same 500, with -1 or 5005, and says nothing about the jobs either; so is 401 where a header is missing.

import { readFile } from 'node:fs/promises'
import { request as requestSecurely } from 'node:https'
import { text as readAll } from 'node:stream/consumers'
import type { Unreachable } from '../answers.ts'
import { isShownJob, type ShownJob } from './shown-job.ts'
import { isShownNode, type ShownNode } from './shown-node.ts'
import { isObject } from './shown-value.ts'

export type Access = {
  /** Where slurmrestd listens. */
  readonly api: string
  readonly user: string
  /** Fetched for each request: tokens expire, and are renewed. */
  readonly token: () => Promise<string>
  readonly timeout_s: number
  /** PEM file of the authority of its certificate, read for each request. No other is trusted then. */
  readonly caFile?: string
}

type Request = { readonly method: 'GET' | 'POST' | 'DELETE'; readonly path: string; readonly body?: unknown }

/** The code stands under one of three names, depending on the endpoint. */
type Complaint = {
  readonly error_number?: number
  readonly errno?: number
  readonly error_code?: number
  readonly error?: string
  readonly description?: string
}

type Body = {
  readonly errors?: readonly Complaint[]
  readonly jobs?: readonly ShownJob[]
  readonly nodes?: readonly ShownNode[]
  readonly job_id?: number
}

type RestReply = { readonly answer: 'replied'; readonly body: Body }
type RestRefusal = { readonly answer: 'declined'; readonly code: number; readonly reason: string }

export const TIMEOUT_S = 15

export async function request(access: Access, asked: Request): Promise<RestReply | RestRefusal | Unreachable> {
  try {
    const { status, text } = await exchange(access, asked)
    return answerOf(status, text)
  } catch (cause) {
    return unreachable(access, cause)
  }
}

type Exchange = { readonly status: number; readonly text: string }

async function exchange({ api, user, token, timeout_s, caFile }: Access, { method, path, body }: Request): Promise<Exchange> {
  const url = `${api.replace(/\/$/, '')}/slurm/v0.0.38/${path}`
  const message = {
    method,
    headers: { 'x-slurm-user-name': user, 'x-slurm-user-token': await token(), 'content-type': 'application/json' },
    signal: AbortSignal.timeout(timeout_s * 1000),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
  if (caFile !== undefined) return exchangeSecurely(url, message, await readAuthority(caFile))
  const response = await fetch(url, message)
  return { status: response.status, text: await response.text() }
}

/** An empty list would mean those that the machine trusts. */
async function readAuthority(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new Error(`${file} holds no certificate`)
}

type Message = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly body?: string
}

/** `fetch` takes no authority. A connection for each request: one that the proxy closed in the meantime would look like a lost submission. */
function exchangeSecurely(url: string, { method, headers, signal, body }: Message, ca: string): Promise<Exchange> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>()
  const fail = (cause: unknown): void => reject(signal.aborted ? signal.reason : cause)
  // Asked to close, slurmrestd 22.05.8 writes that header behind the body. The socket is closed here all the same.
  const more = { connection: 'keep-alive', 'content-length': String(Buffer.byteLength(body ?? '')) }
  const options = { method, headers: { ...headers, ...more }, signal, ca, agent: false, minVersion: 'TLSv1.2' } as const
  requestSecurely(url, options, (response) => {
    void readAll(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), fail)
  })
    .on('error', fail)
    .end(body)
  return promise
}

/** Slurm's complaints about a request have codes from 2000 to 2999 (slurm_errno.h); those about the way to the controller have others. */
export function answerOf(status: number, text: string): RestReply | RestRefusal | Unreachable {
  if (![200, 400, 500].includes(status) || !text.startsWith('{')) return { answer: 'unreachable', reason: `HTTP ${status}: ${text.trim()}` }
  const body = bodyIn(text)
  if (!body) return { answer: 'unreachable', reason: `HTTP ${status}: not a v0.0.38 response: ${text.slice(0, MOST_SHOWN)}` }
  if (status === 200) return { answer: 'replied', body }
  const complaints = body.errors ?? []
  const reason = complaints.map(({ description, error }) => description ?? error ?? '').join('; ')
  const code = complaints.map(codeOf).find((found) => found !== undefined) ?? -1
  const isAboutRequest = status === 400 || (code >= 2000 && code < 3000)
  return isAboutRequest
    ? { answer: 'declined', code, reason }
    : { answer: 'unreachable', reason: `HTTP ${status}, code ${code}: ${reason}` }
}

/** Undefined where the text is cut off, or lacks what is read of jobs and nodes: nothing may be concluded from half an answer. */
function bodyIn(text: string): Body | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isBody(body) ? body : undefined
  } catch {
    // The caller says what was answered instead.
    return undefined
  }
}

const MOST_SHOWN = 200

const isBody = (body: unknown): body is Body =>
  isObject(body) && isListOf(body['errors'], isComplaint) && isListOf(body['jobs'], isShownJob) && isListOf(body['nodes'], isShownNode)

const isListOf = (list: unknown, isItem: (item: unknown) => boolean): boolean =>
  list === undefined || (Array.isArray(list) && list.every(isItem))

const isComplaint = (item: unknown): boolean =>
  isObject(item) &&
  [item['error'], item['description']].every((text) => typeof text === 'string' || text === undefined || text === null) &&
  [item['error_number'], item['errno'], item['error_code']].every((code) => typeof code === 'number' || code === undefined || code === null)

const codeOf = ({ error_number, errno, error_code }: Complaint): number | undefined => error_number ?? errno ?? error_code

function unreachable({ api, timeout_s }: Access, cause: unknown): Unreachable {
  if (!(cause instanceof Error)) return { answer: 'unreachable', reason: `${api}: ${String(cause)}` }
  if (cause.name === 'TimeoutError') return { answer: 'unreachable', reason: `${api}: no answer in ${timeout_s} s` }
  return { answer: 'unreachable', reason: `${api}: ${cause.cause instanceof Error ? cause.cause.message : cause.message}` }
}
