// One request to S3: with a time limit, sent again where that can help, and with errors that say what to do.

import { setTimeout as delay } from 'node:timers/promises'
import { IronlawError } from '@ironlaw/contracts'
import { elementText } from './s3-listing.ts'

const MOST_ATTEMPTS = 6
const FIRST_DELAY_MS = 200
const LONGEST_DELAY_MS = 5000
const TIME_LIMIT_MS = 120_000
/** Busy, broken for now, or another conditional write of the same key under way. */
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504])

export type S3Subject = { readonly url: string; readonly key: string; readonly method: string }

export type S3Answer = {
  readonly status: number
  readonly body: Buffer
  /** As S3 names the error. */
  readonly code?: string
  /** An earlier attempt may have had its effect. */
  readonly retried: boolean
}

type Attempt = Omit<S3Answer, 'retried'> | { readonly unanswered: unknown }

export async function sendWithRetries(request: (signal: AbortSignal) => Promise<Request>, subject: S3Subject): Promise<S3Answer> {
  let attempt = await sendOnce(request)
  for (let attempts = 1; attempts < MOST_ATTEMPTS && mayPass(attempt); attempts += 1) {
    // Spread, so that clients that failed together do not come back together.
    await delay(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2))
    attempt = await sendOnce(request)
    if (!mayPass(attempt)) return requireAnswer(attempt, subject, true)
  }
  return requireAnswer(attempt, subject, false)
}

async function sendOnce(request: (signal: AbortSignal) => Promise<Request>): Promise<Attempt> {
  try {
    const response = await fetch(await request(AbortSignal.timeout(TIME_LIMIT_MS)))
    const body = Buffer.from(await response.arrayBuffer())
    const code = response.ok ? undefined : elementText(body.toString(), 'Code')
    return { status: response.status, body, ...(code !== undefined && { code }) }
  } catch (cause) {
    return { unanswered: cause }
  }
}

const mayPass = (attempt: Attempt): boolean => 'unanswered' in attempt || PASSING.has(attempt.status)

function requireAnswer(attempt: Attempt, { url, key, method }: S3Subject, retried: boolean): S3Answer {
  if (!('unanswered' in attempt)) return { ...attempt, retried }
  const cause = attempt.unanswered
  throw new IronlawError(
    'IL_STORAGE',
    {
      act: ACTS[method] ?? 'reach',
      key: key === '' ? 'the objects' : key,
      storage: url,
      reason: connectionReason(cause),
      next: 'check that the server runs and that AWS_ENDPOINT_URL and AWS_REGION are right',
    },
    { cause },
  )
}

function connectionReason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name === 'TimeoutError') return `no answer within ${TIME_LIMIT_MS / 1000} s, tried ${MOST_ATTEMPTS} times`
  const inner = cause.cause
  return `${inner instanceof Error ? inner.message || inner.name : cause.message}, tried ${MOST_ATTEMPTS} times`
}

const ACTS: Readonly<Record<string, string>> = { GET: 'read', HEAD: 'look for', PUT: 'write', DELETE: 'remove' }

const NEXT_STEPS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create the bucket, or correct its name',
  InvalidAccessKeyId: 'the server does not know AWS_ACCESS_KEY_ID; correct it',
  SignatureDoesNotMatch: 'AWS_SECRET_ACCESS_KEY is not the one of AWS_ACCESS_KEY_ID; correct it',
  ExpiredToken: 'get new credentials: AWS_SESSION_TOKEN has expired',
  RequestTimeTooSkewed: 'set the clock of this machine',
  PermanentRedirect: 'set AWS_REGION to the region of the bucket',
  AuthorizationHeaderMalformed: 'set AWS_REGION to the region of the bucket',
  NotImplemented: 'use a server that can write an object only where there is none ("If-None-Match: *")',
}

const NEXT_BY_STATUS: Readonly<Record<number, string>> = {
  301: 'set AWS_REGION to the region of the bucket',
  401: 'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  403: 'give these credentials the right to list the bucket and to get, put and delete its objects',
  507: 'free some space on the server',
}

export function s3Failure({ status, code, body }: S3Answer, { url, key, method }: S3Subject): IronlawError {
  const message = elementText(body.toString(), 'Message')
  return new IronlawError('IL_STORAGE', {
    act: ACTS[method] ?? 'use',
    key: key === '' ? 'the objects' : key,
    storage: url,
    reason: [`the server answered ${status}`, code, message].filter((part) => part !== undefined && part !== '').join(', '),
    next: NEXT_STEPS[code ?? ''] ?? NEXT_BY_STATUS[status] ?? 'try again; where it stays, the log of the server says more',
  })
}
